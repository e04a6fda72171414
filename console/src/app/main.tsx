/**
 * The console: what people see of Tollgate in a browser. It talks to the gateway over HTTP as any
 * other client does, and knows of it only the contract, the client and the kernel.
 */
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { CallFailed } from '../api/failure.ts';
import { startLanguage } from '../text/language.ts';
import { makeRouter } from './router.tsx';
import { startTheme } from './theme.ts';

const RETRIES = 2;
const UNAUTHENTICATED = 401;

/** The session ended while a page was open: the person signs in and comes back to it. */
function signInAgain(error: unknown): void {
  if (!(error instanceof CallFailed) || error.failure.status !== UNAUTHENTICATED) return;
  const { pathname, search } = location;
  location.assign(`/console/sign-in?${new URLSearchParams({ return_to: pathname + search })}`);
}

startTheme();
startLanguage();
const queries = new QueryClient({
  queryCache: new QueryCache({ onError: signInAgain }),
  defaultOptions: {
    queries: {
      // An answer that says what is wrong says the same the next time.
      retry: (failures, error) => !(error instanceof CallFailed) && failures < RETRIES,
      staleTime: 5_000,
    },
  },
});
const router = makeRouter(queries);
const place = document.getElementById('console');
if (place === null) throw new Error('index.html has no place for the console');
createRoot(place).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
