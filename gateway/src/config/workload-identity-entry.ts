/** The section `workload_identity` of `tollgate.yaml`: whose tokens pods and CI jobs may send instead of a key. */
import { type Static, Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { workloadDefaults } from './config-defaults.ts';

const form = { minLength: 1, maxLength: 500 } as const;
const text = (meaning: string, example: string) => Type.String({ ...form, ...about(meaning, { example }) });

/** Signatures with a private key that only the issuer has. `none` and secrets that are shared are no choice. */
export const WORKLOAD_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
];

const WORKLOAD_LEEWAY_SECONDS_MAX = 300;

const IssuerEntry = Type.Object(
  {
    name: text('Its name in rules and in the audit log.', 'cluster'),
    issuer: text('The claim iss of its tokens, exactly.', 'https://kubernetes.default.svc.cluster.local'),
    audience: text('What the claim aud of a token must contain.', 'https://tollgate.example.com'),
    jwks_url: Type.Optional(
      Type.String({
        ...form,
        ...about('The address of its signing keys.', {
          otherwise: 'as its discovery document says',
          example: 'https://kubernetes.default.svc/openid/v1/jwks',
        }),
      }),
    ),
    ca_file: Type.Optional(
      Type.String({
        ...form,
        ...about('A PEM file with the only certificates that its server is trusted by.', {
          otherwise: 'those of the system',
          example: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
        }),
      }),
    ),
    token_file: Type.Optional(
      Type.String({
        ...form,
        ...about('A file with a token that its server asks for. It is sent to the hosts written here only.', {
          otherwise: 'none',
          example: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        }),
      }),
    ),
    algorithms: Type.Optional(
      Type.Array(Type.Enum(WORKLOAD_ALGORITHMS), {
        minItems: 1,
        ...about('The algorithms that it signs with.', {
          default: workloadDefaults.algorithms,
          example: ['RS256'],
        }),
      }),
    ),
    leeway_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WORKLOAD_LEEWAY_SECONDS_MAX,
        ...about('How far its clock and ours may differ.', { default: workloadDefaults.leewaySeconds }),
      }),
    ),
  },
  { ...closed, ...about('An issuer of tokens: a cluster, a CI system, a cloud.') },
);
export type WorkloadIssuerEntry = Static<typeof IssuerEntry>;

export const WorkloadIdentityEntry = Type.Object(
  {
    issuers: Type.Array(IssuerEntry, about('The issuers.')),
  },
  { ...closed, ...about('Whose tokens pods and CI jobs may send instead of a key.') },
);
export type WorkloadIdentityEntry = Static<typeof WorkloadIdentityEntry>;
