/** The code that the Workers run, in this process, with what each may ask of the others. */
import importCustomers from '../../functions/import-customers.ts'
import importPartners from '../../functions/import-partners.ts'
import manage from '../../functions/manage.ts'
import trackBatch from '../../functions/track/track-batch.ts'
import trackClick from '../../functions/track/track-click.ts'
import trackLead from '../../functions/track/track-lead.ts'
import trackRefund from '../../functions/track/track-refund.ts'
import trackSale from '../../functions/track/track-sale.ts'
import type { Act } from '../../lib/audit/audit.queries.ts'
import type { Db } from '../../lib/db/connection.ts'
import type { PayoutEnv } from '../../lib/payouts/transfers/send.service.ts'
import { joinReport, replanImported } from '../../lib/purchases/apply/late.service.ts'
import { correctSale } from '../../lib/purchases/corrections/correct.service.ts'
import { creditEvent } from '../../lib/purchases/corrections/credit.service.ts'
import { decideHolds } from '../../lib/rules/holds/decide-holds.ts'
import { checkResponse } from '../support/contract.ts'

export type Answer = { status: number; body: Record<string, unknown> }
type App = { request: typeof trackSale.request }

const IMPORTS: Record<string, App> = {
  '/partners/import': importPartners,
  '/customers/import': importCustomers,
}
const TRACKING = {
  click: trackClick,
  lead: trackLead,
  sale: trackSale,
  refund: trackRefund,
  batch: trackBatch,
}
export type Report = keyof typeof TRACKING

/** The app of a path of a workspace. */
export const managing = (path: string): App => IMPORTS[path] ?? manage
export const tracking = (kind: Report): App => TRACKING[kind]

/** The Workers' bindings. */
export const bindingsOf = (env: PayoutEnv, db: () => Db) => ({
  ...env,
  RATE_LIMIT: { limit: async () => ({ success: true }) },
  AUTH: {
    getSession: async () => ({
      user: { id: 'a manager', email: 'a manager', name: '' },
      signedInAt: new Date(),
      setCookie: [],
    }),
  },
  WEBHOOKS: { nudge: async () => {} },
  OUTBOX: { nudge: async () => {} },
  PAYOUT_QUEUE: { nudge: async () => {} },
  CREDITS: {
    creditEvent: (...[act, ...rest]: [Act, string, Parameters<typeof creditEvent>[3]]) =>
      creditEvent(db(), act, ...rest),
    correctSale: (...[act, ...rest]: [Act, string, Parameters<typeof correctSale>[3]]) =>
      correctSale(db(), act, ...rest),
  },
  STRIPE_WEBHOOK: {
    joinReport: (...[workspaceId, report]: [string, Parameters<typeof joinReport>[2]]) =>
      joinReport(db(), workspaceId, report, new Date()),
    decideHolds,
    replanCustomers: (workspaceId: string, ids: string[]) =>
      replanImported(db, workspaceId, ids, new Date()),
  },
})

/** Sends requests to the apps, checks each response against its description, and keeps it. */
export const asker =
  (env: ReturnType<typeof bindingsOf>, log: string[]) =>
  async (
    app: App,
    method: string,
    path: string,
    body: unknown,
    headers: object,
  ): Promise<Answer> => {
    const url = `http://tributary.example${path}`
    const response = await app.request(
      url,
      {
        method,
        headers: { 'Content-Type': 'application/json', 'User-Agent': 'Mozilla/5.0', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      env,
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    )
    await checkResponse(method, url, response)
    const text = await response.text()
    log.push(
      `  ${method} ${path} ${JSON.stringify(body)}: ${response.status} ${text.slice(0, 200)}`,
    )
    // A batch answers each of its reports by itself.
    if (response.status >= 500 || /"(internal|try_again)"/.test(text))
      throw new Error(`${method} ${path} answers ${response.status}`)
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }
