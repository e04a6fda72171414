/** Uploads references. */
import { endpoints } from '../../contract/endpoints.ts';
import { NewReference, type ReferenceTools } from '../../media/upload-reference.ts';
import type { OpenLimits } from '../../metering/open-limits.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';
import { checkReferenceRequest, ReferenceFormReader } from '../read-reference-form.ts';

export function referencesRoute(tools: ReferenceTools, options: { openUploads: OpenLimits }): HttpRoute {
  return keyedRoute('createReference', endpoints.createReference, async (exchange, principal) => {
    const asked = checkReferenceRequest(exchange.request);
    exchange.onOver(options.openUploads.enter(principal));
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
  });
}
