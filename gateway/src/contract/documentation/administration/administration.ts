/** The documentation of administration, by subject. */
import type { TagDocs } from '../operation-docs.ts';
import { aliasesDocs } from './aliases.ts';
import { auditDocs } from './audit.ts';
import { batchAdminDocs } from './batches.ts';
import { installationDocs } from './installation.ts';
import { invitationsDocs } from './invitations.ts';
import { jobAdminDocs } from './jobs.ts';
import { keysDocs } from './keys.ts';
import { marginDocs } from './margin.ts';
import { membersDocs } from './members.ts';
import { peopleDocs } from './people.ts';
import { pricesDocs } from './prices.ts';
import { projectsDocs } from './projects.ts';
import { requestsDocs } from './requests.ts';
import { spacesDocs } from './spaces.ts';
import { statementsDocs } from './statements.ts';
import { tokensDocs } from './tokens.ts';
import { unitsDocs } from './units.ts';
import { usageDocs } from './usage.ts';

export const administrationDocs: readonly TagDocs[] = [
  spacesDocs,
  membersDocs,
  invitationsDocs,
  keysDocs,
  aliasesDocs,
  unitsDocs,
  statementsDocs,
  usageDocs,
  requestsDocs,
  batchAdminDocs,
  jobAdminDocs,
  projectsDocs,
  auditDocs,
  peopleDocs,
  tokensDocs,
  pricesDocs,
  marginDocs,
  installationDocs,
];
