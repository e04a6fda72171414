-- How many batches of a space are not charged yet is read among all that were ever submitted.
create index batches_unsettled on batches (space_id, id) where settlement_status <> 'settled';
