/** The endpoints that set rules: `PUT …/keys/{name}/limit`. */
import type { TObject } from 'typebox';
import { type AdminEndpoint, operation, type Right } from '../admin-endpoint.ts';
import { groups, type SettingOn, type SettingTable, settingOf, settingsOn } from './find-rules.ts';
import type { Holder, RuleOperation } from './rule.ts';
import { type RuleRequest, ruleRequest } from './rule-shapes.ts';

type Groups = typeof groups;
type Switched<Of extends Holder> = {
  [Name in SettingOn<Of>]: SettingTable[Name] extends { off: object } ? Name : never;
}[SettingOn<Of>];
type Off<Name extends keyof SettingTable> = Name extends unknown
  ? SettingTable[Name] extends { off: { name: infer Opposite extends string } }
    ? Opposite
    : never
  : never;

interface Common<Response> {
  readonly credential: 'administration';
  readonly right: Right;
  readonly summary: string;
  readonly operationId?: string;
  readonly idempotent?: true;
  readonly response: Response;
}

interface Put<Path extends string, Request, Response> extends Common<Response> {
  readonly method: 'PUT';
  readonly path: Path;
  readonly request: Request;
}

interface Post<Path extends string, Response> extends Common<Response> {
  readonly method: 'POST';
  readonly path: Path;
}

type RuleEndpoints<Of extends Holder, At extends string, Response> = {
  readonly [Name in Exclude<SettingOn<Of>, Switched<Of>> as `${Groups[Of]}.${Name}`]: Put<
    `${At}/${SettingTable[Name]['path']}`,
    RuleRequest<Name, Of>,
    Response
  >;
} & {
  readonly [Name in Switched<Of> as `${Groups[Of]}.${Name}`]: Post<
    `${At}/${SettingTable[Name]['path']}`,
    Response
  >;
} & {
  readonly [Name in Switched<Of> as `${Groups[Of]}.${Off<Name>}`]: Post<`${At}/${Off<Name>}`, Response>;
};

/** The names of the operations that set rules. */
export type RuleOperationName = {
  [Of in Holder]: `${Groups[Of]}.${SettingOn<Of> | Off<Switched<Of>>}`;
}[Holder];

/** `at`: the path of what the rules stand on. `response`: what it is then. */
export function ruleEndpoints<Of extends Holder, const At extends string, Response extends TObject>(
  holder: Of,
  at: At,
  response: Response,
): RuleEndpoints<Of, At, Response> {
  const byDefault: Right = holder === 'space' ? 'operator' : 'admin';
  const endpoints = settingsOn(holder).flatMap((name): Array<[string, AdminEndpoint]> => {
    const { path, off, on, operationId } = settingOf(name);
    const { summary, right = byDefault } = on[holder] as RuleOperation;
    if (off !== undefined)
      return [
        [`${groups[holder]}.${name}`, { ...operation('POST', `${at}/${path}`, right), summary, response }],
        [
          `${groups[holder]}.${off.name}`,
          { ...operation('POST', `${at}/${off.name}`, byDefault), summary: off.summary, response },
        ],
      ];
    const named = operationId === undefined ? {} : { operationId };
    const body = ruleRequest(name, holder) as TObject;
    const endpoint = {
      ...operation('PUT', `${at}/${path}`, right),
      ...named,
      summary,
      request: body,
      response,
    };
    return [[`${groups[holder]}.${name}`, endpoint]];
  });
  return Object.fromEntries(endpoints) as unknown as RuleEndpoints<Of, At, Response>;
}
