/** The plan of the house: every folder of the code, its layer, and the folders it may import. */

/* 0 and 1: shared vocabulary, JSON, and the public wire shapes, declared once. */
const GROUND = ['kernel', 'json', 'contract'];
/* 2a, left to right: pure, so no I/O, no clock, no randomness. */
export const PURE = [
  ...['pricing', 'text', 'embeddings', 'images'],
  ...['yaml', 'price-sheets', 'catalog', 'price-import', 'config'],
];
/* 2b: tools that do I/O and know nothing of the product. */
const TOOLS = ['memory', 'database', 'redis', 'jobs', 'blobs', 'net', 'edge', 'telemetry', 'tokens'];
/* 4, left to right: what the product does. Parts in one group do not import each other. */
const PARTS = [
  ['access'],
  ['processes'],
  ['alerts'],
  ['ledger'],
  ['metering'],
  ['rates'],
  ['stored-answers'],
  ['idempotency'],
  ['batch-files', 'media'],
  ['responses'],
  ['calls'],
  ['provider-jobs'],
  ['batches', 'video'],
  ['reports'],
  ['administration'],
  ['maintenance'],
];

const BELOW_PARTS = [...GROUND, ...PURE, ...TOOLS, 'providers'];
/** The edge is thin: SQL and providers are reached through the parts. */
const BELOW_HTTP = [...BELOW_PARTS, ...PARTS.flat(), 'logs'].filter(
  (room) => room !== 'database' && room !== 'providers',
);
const BELOW_APP = [...BELOW_PARTS, ...PARTS.flat(), 'logs', 'http'];

/* The console, lowest first: a folder imports those of the rows before it, and those to its left. */
const CONSOLE = [
  ['text', 'style'],
  ['api'],
  ['parts'],
  ['addresses', 'session'],
  ['topics'],
  ['pages'],
  ['app'],
];
/** In these, one folder inside does not import another. */
const CONSOLE_APART = ['topics', 'pages'];

export interface Room {
  readonly layer: string;
  readonly mayImport: readonly string[];
  /** The folders inside do not import each other: what two of them share belongs into a layer below. */
  readonly isApart?: boolean;
}

function partRooms(): Record<string, Room> {
  const rooms = PARTS.flatMap((group, index) =>
    group.map((room): [string, Room] => {
      return [room, { layer: '4', mayImport: [...BELOW_PARTS, ...PARTS.slice(0, index).flat()] }];
    }),
  );
  return Object.fromEntries(rooms);
}

function consoleRooms(): Record<string, Room> {
  const ordered = CONSOLE.flatMap((row, layer) => row.map((name) => ({ name, layer })));
  const rooms = ordered.map(({ name, layer }, index): [string, Room] => {
    const below = ordered.slice(0, index).map((room) => `console/src/${room.name}`);
    const mayImport = [...GROUND, 'client', ...below];
    return [
      `console/src/${name}`,
      { layer: `web ${layer}`, mayImport, isApart: CONSOLE_APART.includes(name) },
    ];
  });
  return Object.fromEntries(rooms);
}

/** Each folder of `gateway/src` and `console/src`, and the two beside them: its layer, and the folders it may import. */
export const ROOMS: Record<string, Room> = {
  kernel: { layer: '0', mayImport: [] },
  json: { layer: '0', mayImport: ['kernel'] },
  contract: { layer: '1', mayImport: ['kernel', 'json'] },
  /* What programs that call the gateway share: the console and the command line. */
  client: { layer: '1', mayImport: [...GROUND] },

  pricing: { layer: '2a', mayImport: [...GROUND] },
  text: { layer: '2a', mayImport: [...GROUND, 'pricing'] },
  embeddings: { layer: '2a', mayImport: [...GROUND, 'pricing', 'text'] },
  images: { layer: '2a', mayImport: [...GROUND, 'pricing', 'text'] },
  yaml: { layer: '2a', mayImport: [...GROUND] },
  'price-sheets': { layer: '2a', mayImport: [...GROUND, 'pricing', 'yaml'] },
  /* Models and what they can do. Of the file it knows its own entries, not the whole. */
  catalog: {
    layer: '2a',
    mayImport: [...GROUND, 'pricing', 'text', 'embeddings', 'images', 'yaml', 'price-sheets'],
  },
  'price-import': { layer: '2a', mayImport: [...GROUND, 'pricing', 'yaml', 'price-sheets', 'catalog'] },
  /* The whole file, so it comes last: every other room reads its own entry. */
  config: { layer: '2a', mayImport: [...GROUND, 'yaml', 'price-sheets', 'catalog'] },

  memory: { layer: '2b', mayImport: [...GROUND] },
  database: { layer: '2b', mayImport: [...GROUND] },
  redis: { layer: '2b', mayImport: [...GROUND] },
  jobs: { layer: '2b', mayImport: [...GROUND, 'database'] },
  blobs: { layer: '2b', mayImport: [...GROUND, 'database', 'telemetry'] },
  net: { layer: '2b', mayImport: [...GROUND, 'memory'] },
  edge: { layer: '2b', mayImport: [...GROUND, 'memory', 'net'] },
  telemetry: { layer: '2b', mayImport: [...GROUND] },
  tokens: { layer: '2b', mayImport: [...GROUND] },

  /* Translation and HTTP. No database, no blobs, no telemetry: what a provider needs is passed in. */
  providers: {
    layer: '3',
    mayImport: [...GROUND, 'pricing', 'text', 'embeddings', 'images', 'catalog', 'net'],
  },

  ...partRooms(),
  /* Log lines have nothing to do with calls; only who may read them is shared. */
  logs: { layer: '4', mayImport: [...GROUND, 'database', 'net', 'telemetry', 'access'] },

  http: { layer: '5', mayImport: BELOW_HTTP },

  /* What a new installation shows: a space with a history. */
  demo: { layer: '6', mayImport: [...BELOW_APP, 'simulator'] },
  app: { layer: '6', mayImport: [...BELOW_APP, 'demo', 'simulator'] },
  cli: { layer: '6', mayImport: [...BELOW_APP, 'simulator', 'demo', 'app', 'client'] },

  /* How the console is built. */
  console: { layer: 'web', mayImport: [...GROUND] },
  ...consoleRooms(),
  /* The script of the pages that the gateway writes: alone, so that it is small. */
  'console/src/docs-page': { layer: 'web alone', mayImport: [] },
  simulator: { layer: 'stand-in', mayImport: ['kernel'] },
};

export function mayImport(room: string, other: string): boolean {
  return ROOMS[room]?.mayImport.includes(other) ?? false;
}
