import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/nudge.service.ts'
import { createPages, signedIn } from '../lib/pages/render.tsx'
import address from './portal/address.tsx'
import commissions from './portal/commissions.tsx'
import connect from './portal/connect.tsx'
import documents from './portal/documents.tsx'
import events from './portal/events.tsx'
import join from './portal/join.tsx'
import links from './portal/links.tsx'
import overview from './portal/overview.tsx'
import payment from './portal/payment.tsx'
import payouts from './portal/payouts.tsx'
import terms from './portal/terms.tsx'
import unsubscribe from './portal/unsubscribe.tsx'

/**
 * The pages for partners, under /portal: one file per section in portal/. A partner sees the data of their own email
 * address, in all workspaces. Under /join, people apply to become one, and under
 * /unsubscribe, partners end messages to them.
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
