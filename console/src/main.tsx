/**
 * The console: what people see of Tollgate in a browser. It talks to the gateway over HTTP as any
 * other client does, and knows of it only the contract and the kernel.
 */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ConnectPage } from './connect/connect-page.tsx';

const place = document.getElementById('console');
if (place === null) throw new Error('index.html has no place for the console');
createRoot(place).render(
  <StrictMode>
    <ConnectPage />
  </StrictMode>,
);
