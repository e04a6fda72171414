/** Uploads and lists references. */
import { endpoints } from '../../contract/endpoints.ts';
import { listOwnReferences } from '../../media/list-references.ts';
import { NewReference, type ReferenceTools } from '../../media/upload-reference.ts';
import type { OpenLimits } from '../../memory/open-limits.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';
import { readPageQuery } from '../read-page.ts';
import { checkReferenceRequest, ReferenceFormReader } from '../read-reference-form.ts';

export function referenceRoutes(tools: ReferenceTools, options: { openUploads: OpenLimits }): HttpRoute[] {
  return [
    keyedRoute('createReference', endpoints.createReference, async (exchange, principal) => {
      const asked = checkReferenceRequest(exchange.request);
      exchange.onOver(options.openUploads.enter(principal));
      exchange.onStop(() => exchange.response.destroy());
      const form = new ReferenceFormReader(
        (mimeType) => new NewReference({ principal, mimeType, ...asked }, tools),
      );
      try {
        const reference = await form.read(exchange.request);
        exchange.sendJson(200, JSON.stringify(await reference.finish()));
      } catch (error) {
        await form.abort();
        throw error;
      }
    }),
    keyedRoute('listReferences', endpoints.listReferences, async (exchange, principal) => {
      const page = readPageQuery(exchange.request.url ?? '');
      exchange.sendJson(200, JSON.stringify(await listOwnReferences({ principal, page }, tools)));
    }),
  ];
}
