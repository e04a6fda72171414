/**
 * The pages of the API at `/docs`: one for the first call, and one for each tag of the OpenAPI document. They are
 * complete without a script and load nothing from another host. A page is written when it is first asked for.
 */
import { docsOf, documentation, tagGroups } from '../../contract/documentation/documentation.ts';
import type { TagDocs } from '../../contract/documentation/operation-docs.ts';
import type { ApiSettings, Endpoint } from '../../contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import { openapiDocument } from '../../contract/openapi.ts';
import { html } from '../html.ts';
import { policyDigest } from '../plain-page.ts';
import { type StaticFile, type StaticFiles, staticFile } from '../static-files.ts';
import { markdown } from './markdown.ts';
import { DOCS_STYLE } from './style.ts';
import type { Schema } from './write-fields.ts';
import { DOCS_PATH, pathOfTag, writeLayout } from './write-layout.ts';
import { type DocumentedOperation, showOperation } from './write-operation.ts';
import { type StartPage, writeStart } from './write-start.ts';

export interface DocsOptions {
  readonly version: string;
  /** Endpoints that the installation does not have are left out. */
  readonly api: ApiSettings;
  /** The address of the installation; null if it is not configured. */
  readonly publicUrl: string | null;
  /** The port of an installation without an address; the script of the page knows the rest. */
  readonly port: number;
  /** A model for the first call that every reader can use; null: there is none. */
  readonly model: () => string | null;
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${policyDigest(DOCS_STYLE)}`,
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const groups = tagGroups.map(({ name, tags }) => ({
  name,
  tags: tags.map((tag) => documentation.find((one) => one.tag === tag) as TagDocs),
}));
const tagAt: ReadonlyMap<string, TagDocs> = new Map(documentation.map((tag) => [pathOfTag(tag.tag), tag]));

/** Adds these pages to other files. */
export function withDocsPages(files: StaticFiles, options: DocsOptions): StaticFiles {
  const pages = new Map<string, StaticFile>();
  let document: ApiDocument | null = null;
  return {
    find(url) {
      // Every request passes here, so the prefix is checked first.
      if (!url.startsWith(DOCS_PATH)) return files.find(url);
      const path = (url.split('?', 1)[0] as string).replace(/\/$/, '');
      if (path !== DOCS_PATH && !tagAt.has(path)) return null;
      document ??= openapiDocument({ version: options.version, api: options.api }) as unknown as ApiDocument;
      const page = pages.get(path) ?? writePage(path, document, options);
      pages.set(path, page);
      return page;
    },
  };
}

interface ApiDocument {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

function writePage(path: string, document: ApiDocument, { publicUrl, port, model }: DocsOptions): StaticFile {
  const origin = publicUrl ?? `http://localhost:${port}`;
  const resolve = (reference: string): Schema => find(document, reference);
  const operationsOf = (tag: TagDocs): readonly DocumentedOperation[] => operationsIn(tag, document);
  const tag = tagAt.get(path) ?? null;
  const start = {
    origin,
    model: model(),
    groups,
    operationsOf,
    resolve,
    introduction: document.info.description,
    anyAnswer: resolve('#/components/responses/AnyEndpoint') as unknown as StartPage['anyAnswer'],
  };
  const content =
    tag === null
      ? writeStart(start)
      : html`<h1>${tag.tag}</h1>${markdown(tag.description)}${operationsOf(tag).map((operation) =>
          showOperation(operation, { resolve, origin }),
        )}`;
  const page = writeLayout({
    title: tag?.tag ?? 'First call',
    content,
    hasRequests: tag !== null,
    current: path,
    groups,
    assumedOrigin: publicUrl === null ? origin : null,
  });
  return staticFile('page.html', Buffer.from(page), { policy: CONTENT_SECURITY_POLICY });
}

function operationsIn({ operations }: TagDocs, document: ApiDocument): DocumentedOperation[] {
  return (Object.keys(operations) as EndpointName[]).flatMap((name) => {
    const endpoint: Endpoint = endpoints[name];
    const written = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    if (written === undefined) return [];
    return { endpoint, docs: (docsOf(name) as NonNullable<ReturnType<typeof docsOf>>).docs, written };
  });
}

/** `#/components/schemas/Name` */
function find({ components }: ApiDocument, reference: string): Schema {
  const [, , kind = '', name = ''] = reference.split('/');
  const found = components[kind]?.[name];
  if (found === undefined) throw new Error(`the document lacks ${reference}`);
  return found;
}
