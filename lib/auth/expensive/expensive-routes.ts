/**
 * Endpoints and pages that read a whole workspace, or calculate for long. Each takes `expensive()`,
 * or `expensiveToPerson()` in the portal. tests/attacks/15-expensive.test.ts asks all routes.
 */
const BELOW_API = [
  'POST /programs/:id/what-if',
  'POST /groups/:id/what-if',
  ...[
    'partners',
    'applications',
    'customers',
    'events',
    'mismatches',
    'commissions',
    'payouts',
    'mails',
    'audit',
  ].map((list) => `GET /export/${list}.csv`),
  'GET /payout-runs/:id/export',
  'POST /payout-runs/:id/wise-template',
  'GET /partners/:id/statement',
  'GET /payout-years/:year',
  'GET /customers/:id/personal-data',
  'GET /partners/:id/personal-data',
  'POST /customers/:id/erase',
  'POST /partners/:id/erase',
  'POST /programs/:id/shadow/compare',
  'POST /programs/:id/cut-over',
  'POST /imports/:id/undo',
]

const BELOW_APP = [
  'POST /programs/:id/what-if',
  'POST /groups/:id/what-if',
  'POST /programs/:id/reward/what-if',
  'POST /groups/:id/reward/what-if',
  'POST /groups/:id/lead-reward/what-if',
  'POST /partners/:id/reward/what-if',
  'POST /partners/export',
  'POST /payouts/runs/:id/wise-template',
  'GET /partners/:id/statement',
  'GET /payouts/years/:year{[2][0-9][0-9][0-9]}',
  'POST /customers/:id/personal-data',
  'POST /partners/:id/personal-data',
  'GET /programs/:id/shadow/cut-over',
  'POST /programs/:id/shadow/cut-over',
  'GET /imports/:id/undo',
  'POST /imports/:id/undo',
]

const below = (base: string) => (route: string) => route.replace(' ', ` ${base}`)

/** `METHOD /path`, as Hono names them. */
export const EXPENSIVE_ROUTES: readonly string[] = [
  ...BELOW_API.map(below('/api/workspaces/:workspace')),
  ...BELOW_APP.map(below('/app/:workspace')),
  'GET /portal/documents/statement',
]
