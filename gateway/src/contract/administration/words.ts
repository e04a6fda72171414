/** The words and defaults of administration that the command line shows. It imports nothing, so that a command starts fast. */
export const keyKinds = ['personal', 'shared', 'management'] as const;
/** `gateway` in a filter: personal and shared. */
export const keyKindFilters = [...keyKinds, 'gateway'] as const;
export const keyStates = ['active', 'disabled', 'expired', 'revoked'] as const;
export const KEY_DAYS_DEFAULT = 90;
export const GRACE_HOURS_DEFAULT = 24;
export const GRACE_HOURS_MAX = 24 * 30;
/** How long a key or a token can be valid. */
export const DAYS_MAX = 3_650;
/** The highest limit that is a whole number. */
export const COUNT_MAX = 2_000_000_000;
export const memberRoles = ['admin', 'member'] as const;
export const grantKinds = ['promo', 'paid'] as const;
export const settlementStates = [
  'pending',
  'queued',
  'processing',
  'settling',
  'settled',
  'quarantined',
] as const;
/** `unsettled` in a filter: all but settled. */
export const settlementFilters = [...settlementStates, 'unsettled'] as const;
export const requestStatuses = ['completed', 'partial', 'failed', 'rejected'] as const;
export const marginDimensions = ['space', 'model', 'day'] as const;
export const usageDimensions = ['model', 'key', 'member', 'day'] as const;
/** How units move, as statements show it. */
export const movementKinds = ['grant', 'charge', 'correction', 'expiry', 'invoice'] as const;
/** A `payment` takes the units for charges that were made before. */
export const entryKinds = ['grant', 'charge', 'payment', 'correction', 'expiry', 'invoice'] as const;
export const batchStatuses = [
  'validating',
  'in_progress',
  'finalizing',
  'completed',
  'failed',
  'cancelling',
  'cancelled',
  'expired',
] as const;
/** The project of the gateway's own log. It belongs to no space: only operators read it. */
export const OWN_PROJECT = 'gateway';
/** given: by an operator, and no project has it. used: a project has it. removed: a project had it. */
export const projectIdStates = ['given', 'used', 'removed'] as const;
export const accessLevels = ['read', 'write'] as const;
export const TOKEN_DAYS_DEFAULT = 90;
export const LIST_LIMIT_DEFAULT = 50;

export const BUDGETS_MAX = 100;
export const budgetRequestStates = ['pending', 'approved_once', 'approved', 'declined'] as const;
export type BudgetRequestState = (typeof budgetRequestStates)[number];
export const budgetDecisions = ['once', 'always', 'decline'] as const;

/** Anything with one @, as mail servers accept more than any rule says. */
export const EMAIL = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,190}$/u;

/** The name of an alias of a model. */
export const ALIAS_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** Aliases of one space. */
export const ALIASES_MAX = 100;

/** What happens, as webhooks name it. */
export const alertKinds = [
  'limit.reached',
  'budget.reached',
  'budget.requested',
  'balance.low',
  'units.expiring',
  'key.expiring',
  'spend.unusual',
  'calls.unpriced',
  'settlement.quarantined',
  'route.down',
  'test',
] as const;
export type AlertKind = (typeof alertKinds)[number];
/** Events that a target can choose; a test is sent to the target that it is for. */
export const chosenAlertKinds = alertKinds.filter((kind) => kind !== 'test');
/** Targets of the installation get these, of every space. */
export const operatorAlertKinds = ['calls.unpriced', 'settlement.quarantined', 'route.down'] as const;
export const alertTargetTypes = ['webhook', 'slack', 'email'] as const;
export type AlertTargetType = (typeof alertTargetTypes)[number];
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];
/** Targets of one space, or of the installation. */
export const ALERT_TARGETS_MAX = 20;
/** What a space is warned of unless it sets something else. */
export const alertDefaults = {
  limitPercents: [50, 80, 100],
  balancePercent: 10,
  expiryDays: [7, 1],
} as const;
