/** The pages and lists that are measured, and those that are not, with the reason. */

import { APPLICATION_STATUSES } from '../lib/applications/applications.ts'
import { PARTNER_SORTS } from '../lib/partners/lists/partners.schemas.ts'

/** The manager of the measured workspaces. */
export const MANAGER = 'manager@bench.example'

const PERIODS = [30, 90, 365]
const COMMISSIONS = {
  status: ['held', 'pending', 'payable', 'processing', 'paid'],
  kind: ['sale', 'lead', 'opening_balance', 'adjustment', 'bonus', 'reversal'],
}
const PAYOUTS = ['processing', 'paid', 'failed', 'canceling', 'canceled', 'reversed', 'returned']
const SKIPPED = ['negative_balance', 'not_connected', 'account_restricted', 'below_minimum']

/** What the filters of a workspace are set to. */
export type Place = {
  workspaceId: string
  slug: string
  partnerId: string
  email: string
  runId: string
  payoutId: string
  programId: string
}

const lists = ({
  partnerId,
  runId,
  payoutId,
  programId,
}: Place): [path: string, queries: string[]][] => [
  [
    'commissions',
    [
      ...COMMISSIONS.status.flatMap((status) => [
        `status=${status}`,
        `partnerId=${partnerId}&status=${status}`,
      ]),
      ...COMMISSIONS.kind.map((kind) => `kind=${kind}`),
      `partnerId=${partnerId}`,
      `payoutId=${payoutId}`,
      // No event has this id.
      `eventId=${programId}`,
      'customerExternalId=customer-500',
      'order=asc',
      'status=paid&order=asc',
      'status=payable&order=asc',
    ],
  ],
  [
    'events',
    [
      'kind=sale',
      'kind=lead',
      'attributed=true',
      'attributed=false',
      'overdue=true',
      'externalId=bench-77',
      `partnerId=${partnerId}`,
      'order=asc',
    ],
  ],
  [
    'customers',
    [
      'order=asc',
      'externalId=customer-77',
      'email=customer-77@bench.example',
      `partnerId=${partnerId}`,
    ],
  ],
  [
    'partners',
    [
      'status=approved',
      'status=banned',
      'query=bench-4',
      'slug=bench-77',
      `programId=${programId}`,
      // No group has this id.
      `groupId=${programId}`,
      'email=partner-77@bench.example',
    ],
  ],
  [
    'applications',
    [
      `programId=${programId}`,
      ...APPLICATION_STATUSES.flatMap((status) => [
        `status=${status}`,
        `programId=${programId}&status=${status}`,
      ]),
    ],
  ],
  ['mails', ['queued', 'retrying', 'sent', 'failed'].map((status) => `status=${status}`)],
  ['webhook-endpoints', []],
  [
    'webhook-deliveries',
    ['queued', 'retrying', 'delivered', 'failed'].map((status) => `status=${status}`),
  ],
  ['audit', []],
  ['members', []],
  ['api-keys', []],
  ['programs', []],
  ['invoices', [`partnerId=${partnerId}`]],
  [
    'payouts',
    [
      'order=asc',
      ...PAYOUTS.map((status) => `status=${status}`),
      `runId=${runId}`,
      `partnerId=${partnerId}`,
    ],
  ],
]

/** The pages of lists that are elsewhere than their list. */
const PAGES: Record<string, string> = {
  payouts: 'payouts/all',
  invoices: 'payouts/invoices',
  'webhook-endpoints': 'webhooks',
  'webhook-deliveries': 'webhooks/deliveries',
}

const YEAR = new Date().getUTCFullYear()

const endpoints = ({ partnerId, runId, programId }: Place): string[] => [
  'balances',
  'balances?owed=true',
  `balances?partnerId=${partnerId}`,
  ...SKIPPED.map((code) => `balances?code=${code}`),
  'mail-texts',
  'payer',
  'payout-runs',
  `payout-runs/${runId}`,
  `payout-years/${YEAR}`,
  `partners/${partnerId}`,
  `partners/${partnerId}/balances`,
  `partners/${partnerId}/coupons`,
  `partners/${partnerId}/links`,
  'mismatches',
  'possible-merges',
  `partners/${partnerId}/notes`,
  `partners/${partnerId}/statement`,
  `programs/${programId}`,
  `programs/${programId}/agreements`,
  `programs/${programId}/groups`,
  `programs/${programId}/shadow/comparisons`,
  'settings',
  'stats',
  'stats?by=partner&from=2026-01-01&to=2026-11-20',
  'stats?by=program&from=2026-01-01&to=2026-11-20',
  'stats?by=landingPage',
  'stats?by=referrer',
  'stats?by=sub',
  'stats?by=landingPage&from=2026-01-01&to=2026-11-20',
  'stats?by=referrer&from=2026-01-01&to=2026-11-20',
  'stripe',
  'stripe/events',
]

const pages = ({ partnerId, runId, programId }: Place): string[] => [
  '',
  '/search?q=bench-77',
  '/import',
  '/imports',
  '/mails/preview',
  '/commissions/held',
  ...PARTNER_SORTS.flatMap((sort) => [
    `/partners?sort=${sort}`,
    `/partners?sort=${sort}&order=asc`,
  ]),
  '/checks',
  '/mismatches',
  '/possible-merges',
  '/uncredited',
  '/uncredited?show=likely',
  '/uncredited?show=leads',
  `/partners/${partnerId}`,
  `/partners/${partnerId}?page=/pricing`,
  `/partners/${partnerId}/notes`,
  `/partners/${partnerId}/statement`,
  '/payouts',
  '/payouts/owed',
  `/payouts/runs/${runId}`,
  `/payouts/years/${YEAR}`,
  `/programs/${programId}`,
  `/programs/${programId}/reward`,
  `/programs/${programId}/test`,
  '/settings',
  '/settings/business',
  '/stripe',
]

const portalPages = ({ workspaceId, partnerId, programId, payoutId }: Place): string[] => [
  ...PERIODS.map((days) => `?days=${days}`),
  ...['commissions', 'events', 'payouts'].flatMap((list) => [
    `/${list}`,
    `/${list}?program=${programId}`,
  ]),
  `/commissions?payout=${payoutId}`,
  '/links',
  `/links?program=${programId}&page=/pricing`,
  '/address',
  `/payment?workspace=${workspaceId}`,
  '/documents',
  `/documents/statement?partner=${partnerId}`,
]

/** A page or list in one workspace. */
type Request = { worker: string; path: string; cookie: string }

/** All pages and lists, by a name that is the same in each workspace. */
export const requestsOf = (place: Place): Map<string, Request> => {
  const ids = [place.workspaceId, place.partnerId, place.runId, place.payoutId, place.programId]
  const found = new Map<string, Request>()
  const add = (worker: string, base: string, rest: string, cookie: string) => {
    const name = ids.reduce((text, id) => text.replaceAll(id, ':id'), rest).replaceAll('=:id', '')
    found.set(`${worker} ${name || 'overview'}`, { worker, path: base + rest, cookie })
  }
  const api = `/api/workspaces/${place.slug}`
  const app = `/app/${place.slug}`
  for (const [list, queries] of lists(place)) {
    for (const query of ['', ...queries]) {
      const suffix = query && `?${query}`
      add('manage', api, `/${list}${suffix}`, MANAGER)
      add('dashboard', app, `/${PAGES[list] ?? list}${suffix}`, MANAGER)
    }
  }
  for (const path of endpoints(place)) add('manage', api, `/${path}`, MANAGER)
  for (const path of pages(place)) add('dashboard', app, path, MANAGER)
  for (const path of portalPages(place)) add('portal', '/portal', path, place.email)
  return found
}

const FORM = 'a form, which reads what it changes by its id'
const ONE = 'reads one thing by its id, which an empty workspace does not have'
const ACCOUNT = 'leads to Stripe'
const REWARD = 'reads what the page of a program’s reward reads'
const PDF = 'a document of one payout'
const EXPORT = 'pages of its list, which is measured'
const SAMPLE = 'reads what its list reads'
const ALL = 'lists every row, as a file'
const IMPORT = 'reads the rows of one import'
const SHADOW = 'reads a program in shadow mode, which neither workspace has'
const PERSON = 'exports all that is stored about one person'

/** The routes that are not measured, by Worker, with the reason. */
export const NOT_MEASURED: Record<'dashboard' | 'manage' | 'portal', Record<string, string>> = {
  dashboard: {
    '/app': 'lists the workspaces of a person',
    '/app/:workspace/audit/:id': ONE,
    '/app/:workspace/import/rewards': FORM,
    '/app/:workspace/import/rewards/use': 'leads to the form',
    '/app/:workspace/imports/:id': IMPORT,
    '/app/:workspace/imports/:id/rows.csv': IMPORT,
    '/app/:workspace/imports/:id/undo': IMPORT,
    '/app/:workspace/partners/bonus': FORM,
    '/app/:workspace/partners/new': FORM,
    '/app/:workspace/applications/invite': FORM,
    '/app/:workspace/mails/preview/:kind': SAMPLE,
    '/app/:workspace/mails/preview/:kind/html': SAMPLE,
    '/app/:workspace/applications/:id': ONE,
    '/app/:workspace/programs/:id/applications': FORM,
    '/app/:workspace/programs/new': FORM,
    '/app/:workspace/programs/:id/groups/new': FORM,
    '/app/:workspace/groups/:id': FORM,
    '/app/:workspace/programs/:id/branding': 'leads to the program',
    '/confirm-address/:token': ONE,
    '/app/:workspace/programs/:id/what-if': 'leads to the program',
    '/app/:workspace/groups/:id/what-if': 'leads to the group',
    '/app/:workspace/programs/:id/tiers': FORM,
    '/app/:workspace/programs/:id/bonuses': FORM,
    '/app/:workspace/programs/:id/tiers/edit': 'leads to the tiers',
    '/app/:workspace/programs/:id/bonuses/edit': 'leads to the bonuses',
    '/app/:workspace/groups/:id/reward': REWARD,
    '/app/:workspace/groups/:id/lead-reward': REWARD,
    '/app/:workspace/groups/:id/lead-reward/edit': 'leads to the reward',
    '/app/:workspace/groups/:id/lead-reward/what-if': 'leads to the reward',
    '/app/:workspace/partners/:id/reward': REWARD,
    ...Object.fromEntries(
      ['programs', 'groups', 'partners'].flatMap((list) => [
        [`/app/:workspace/${list}/:id/reward/edit`, 'leads to the reward'],
        [`/app/:workspace/${list}/:id/reward/what-if`, 'leads to the reward'],
      ]),
    ),
    '/app/:workspace/api-keys/:id/rotate': FORM,
    '/app/:workspace/api-keys/:id/revoke': FORM,
    '/app/:workspace/stripe/secrets/:id/remove': FORM,
    '/app/:workspace/stripe/key/remove': FORM,
    '/app/:workspace/webhooks/:id{[0-9a-f-]{36}}': ONE,
    '/app/:workspace/webhooks/:id{[0-9a-f-]{36}}/remove': FORM,
    '/app/:workspace/webhooks/deliveries/:id': ONE,
    '/app/:workspace/members/:id': FORM,
    '/app/:workspace/programs/:id/shadow': SHADOW,
    '/app/:workspace/programs/:id/shadow/comparisons.csv': SHADOW,
    '/app/:workspace/programs/:id/shadow/cut-over': FORM,
    '/app/:workspace/programs/:id/shadow/upload': FORM,
    '/app/:workspace/deletion': FORM,
    '/app/:workspace/members/hand-over': FORM,
    '/app/:workspace/leave': FORM,
    '/app/:workspace/address': FORM,
    '/app/:workspace/address/confirm': FORM,
    '/app/:workspace/members/:id/remove': FORM,
    '/app/:workspace/payouts/:id/cancel': FORM,
    '/app/:workspace/payouts/:id/release': FORM,
    '/app/:workspace/payouts/:id/resolve': FORM,
    '/app/:workspace/payouts/:id/return': FORM,
    '/app/:workspace/payouts/runs/:id/wise-template': FORM,
    '/app/:workspace/payouts/runs/:id/resolve':
      'a form for the unclear payouts of a run, which are few',
    '/app/:workspace/events/:id': ONE,
    '/app/:workspace/events/:id/credit': FORM,
    '/app/:workspace/events/:id/refund': FORM,
    '/app/:workspace/commissions/:id': ONE,
    '/app/:workspace/customers/:id': ONE,
    '/app/:workspace/customers/:id/personal-data': FORM,
    '/app/:workspace/partners/:id/personal-data': FORM,
    '/app/:workspace/partners/:id/links/release': FORM,
    '/app/:workspace/partners/:id/notes/:note/delete': FORM,
    '/app/:workspace/payouts/new':
      'the preview of a run, which decides on every balance: see the part payouts',
    '/app/:workspace/payouts/years': 'leads to the newest year',
  },
  manage: {
    '/api/workspaces/:workspace/audit/:id': ONE,
    '/api/workspaces/:workspace/webhook-endpoints/:id': ONE,
    '/api/workspaces/:workspace/webhook-deliveries/:id': ONE,
    '/api/workspaces': 'lists the workspaces of a person',
    '/api/workspaces/:workspace/groups/:id': ONE,
    '/api/workspaces/:workspace/programs/:id/brand': ONE,
    '/api/workspaces/:workspace/programs/:id/shadow': SHADOW,
    '/api/workspaces/:workspace/programs/:id/join-page': ONE,
    '/api/workspaces/:workspace/programs/:id/agreements/:version': ONE,
    '/api/workspaces/:workspace/applications/:id': ONE,
    '/api/workspaces/:workspace/events/:id': ONE,
    '/api/workspaces/:workspace/commissions/:id': ONE,
    '/api/workspaces/:workspace/customers/:id': ONE,
    '/api/workspaces/:workspace/customers/:id/personal-data': PERSON,
    '/api/workspaces/:workspace/partners/:id/personal-data': PERSON,
    '/api/workspaces/:workspace/invoices/:id': ONE,
    '/api/workspaces/:workspace/payouts/:id': ONE,
    '/api/workspaces/:workspace/invoices/:id/pdf': PDF,
    '/api/workspaces/:workspace/credit-notes/:id/pdf': PDF,
    '/api/workspaces/:workspace/payout-runs/:id/files': ALL,
    '/api/workspaces/:workspace/payout-runs/:id/export': ALL,
    '/api/workspaces/:workspace/export/partners.csv': EXPORT,
    '/api/workspaces/:workspace/export/applications.csv': EXPORT,
    '/api/workspaces/:workspace/export/customers.csv': EXPORT,
    '/api/workspaces/:workspace/export/mismatches.csv': EXPORT,
    '/api/workspaces/:workspace/export/events.csv': EXPORT,
    '/api/workspaces/:workspace/export/commissions.csv': EXPORT,
    '/api/workspaces/:workspace/export/payouts.csv': EXPORT,
    '/api/workspaces/:workspace/export/mails.csv': EXPORT,
    '/api/workspaces/:workspace/export/audit.csv': EXPORT,
  },
  portal: {
    '/portal/address/confirm': FORM,
    '/portal/address/revert': FORM,
    '/portal/terms': 'lists the programs of a person',
    '/join/:program': ONE,
    '/unsubscribe/:token': ONE,
    '/join/:program/apply': FORM,
    '/portal/disconnect': FORM,
    '/portal/documents/details': FORM,
    '/portal/events/:id': ONE,
    '/portal/connect/confirm': FORM,
    '/portal/connect/return': ACCOUNT,
    '/portal/connect/refresh': ACCOUNT,
    '/portal/connect/dashboard': ACCOUNT,
    '/portal/documents/invoices/:id': PDF,
    '/portal/documents/credit-notes/:id': PDF,
  },
}
