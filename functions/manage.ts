import { createApp } from '../lib/http/app.ts'
import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/rpc/nudge.service.ts'
import commissions from './manage/commissions.ts'
import customers from './manage/customers.ts'
import events from './manage/events.ts'
import applications from './manage/partners/applications.ts'
import coupons from './manage/partners/coupons.ts'
import exports from './manage/partners/exports.ts'
import invitations from './manage/partners/invitations.ts'
import joinPages from './manage/partners/join-pages.ts'
import links from './manage/partners/links.ts'
import notes from './manage/partners/notes.ts'
import partners from './manage/partners/partners.ts'
import personalData from './manage/partners/personal-data.ts'
import balances from './manage/payouts/balances.ts'
import invoices from './manage/payouts/invoices.ts'
import papers from './manage/payouts/papers.ts'
import payer from './manage/payouts/payer.ts'
import payoutFiles from './manage/payouts/payout-files.ts'
import payouts from './manage/payouts/payouts.ts'
import possibleMerges from './manage/possible-merges.ts'
import brands from './manage/programs/brands.ts'
import groups from './manage/programs/groups.ts'
import imports from './manage/programs/imports.ts'
import mailTexts from './manage/programs/mail-texts.ts'
import mails from './manage/programs/mails.ts'
import programs from './manage/programs/programs.ts'
import shadow from './manage/programs/shadow.ts'
import stats from './manage/stats.ts'
import apiKeys from './manage/workspace/api-keys.ts'
import audit from './manage/workspace/audit.ts'
import members from './manage/workspace/members.ts'
import settings from './manage/workspace/settings.ts'
import stripe from './manage/workspace/stripe.ts'
import webhooks from './manage/workspace/webhooks.ts'
import workspaces from './manage/workspace/workspaces.ts'

/**
 * The endpoints under /api/workspaces, except imports and payout runs. Each resource has a file in
 * manage/.
 */
export default createApp<NudgeEnv<'OUTBOX' | 'PAYOUT_QUEUE' | 'WEBHOOKS'>['Bindings']>()
  .use(nudgeAfterChanges('OUTBOX', 'PAYOUT_QUEUE', 'WEBHOOKS'))
  .route('/', workspaces)
  .route('/', members)
  .route('/', programs)
  .route('/', shadow)
  .route('/', brands)
  .route('/', groups)
  .route('/', apiKeys)
  .route('/', partners)
  .route('/', coupons)
  .route('/', links)
  .route('/', notes)
  .route('/', applications)
  .route('/', invitations)
  .route('/', joinPages)
  .route('/', events)
  .route('/', commissions)
  .route('/', customers)
  .route('/', possibleMerges)
  .route('/', personalData)
  .route('/', mails)
  .route('/', mailTexts)
  .route('/', payouts)
  .route('/', balances)
  .route('/', payoutFiles)
  .route('/', payer)
  .route('/', invoices)
  .route('/', papers)
  .route('/', stripe)
  .route('/', webhooks)
  .route('/', settings)
  .route('/', stats)
  .route('/', exports)
  .route('/', imports)
  .route('/', audit)
