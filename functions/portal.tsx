import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/rpc/nudge.service.ts'
import { createPages, signedIn } from '../lib/pages/layout/render.tsx'
import address from './portal/address/address.tsx'
import unsubscribe from './portal/address/unsubscribe.tsx'
import commissions from './portal/commissions.tsx'
import events from './portal/events.tsx'
import join from './portal/join/join.tsx'
import terms from './portal/join/terms.tsx'
import links from './portal/links.tsx'
import overview from './portal/overview.tsx'
import connect from './portal/payments/connect.tsx'
import documents from './portal/payments/documents.tsx'
import payment from './portal/payments/payment.tsx'
import payouts from './portal/payments/payouts.tsx'

/**
 * The pages for partners, under /portal: one file per section in portal/. A partner sees the data
 * of their own email address, in all workspaces. People apply under /join, and partners end
 * mailings under /unsubscribe.
 */
export default createPages<NudgeEnv<'OUTBOX' | 'WEBHOOKS'>['Bindings']>()
  .use(nudgeAfterChanges('OUTBOX', 'WEBHOOKS'))
  .use('/portal/*', signedIn())
  .route('/', overview)
  .route('/', links)
  .route('/', address)
  .route('/', commissions)
  .route('/', events)
  .route('/', payouts)
  .route('/', connect)
  .route('/', payment)
  .route('/', documents)
  .route('/', terms)
  .route('/', join)
  .route('/', unsubscribe)
