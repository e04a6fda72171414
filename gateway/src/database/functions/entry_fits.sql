-- version 1
-- Whether an entry of this kind changes only the accounts that it may change, each in the right direction. Used by
-- a constraint of the journal; a function for the reason given in sum_of.sql. Rows that exist are not checked
-- again when this function changes. Before payments existed, a charge took units itself.
create or replace function entry_fits(
  kind text, issued numeric, promo numeric, paid numeric, overage numeric, due numeric, spent numeric, expired numeric,
  invoiced numeric
) returns boolean language plpgsql immutable as $$
begin
  return case kind
    when 'grant' then issued < 0 and promo >= 0 and paid >= 0
      and overage = 0 and due = 0 and spent = 0 and expired = 0 and invoiced = 0
    when 'charge' then spent > 0 and promo <= 0 and paid <= 0 and overage <= 0 and due <= 0
      and issued = 0 and expired = 0 and invoiced = 0
    when 'payment' then due > 0 and promo <= 0 and paid <= 0 and overage <= 0
      and issued = 0 and spent = 0 and expired = 0 and invoiced = 0
    when 'correction' then spent <> 0 and issued = 0 and due = 0 and expired = 0 and invoiced = 0
    when 'expiry' then expired > 0 and promo < 0
      and issued = 0 and paid = 0 and overage = 0 and due = 0 and spent = 0 and invoiced = 0
    when 'invoice' then invoiced < 0 and overage > 0
      and issued = 0 and promo = 0 and paid = 0 and due = 0 and spent = 0 and expired = 0
    else false end;
end $$;
