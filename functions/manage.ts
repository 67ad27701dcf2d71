import { createApp } from '../lib/http/app.ts'
import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/nudge.service.ts'
import apiKeys from './manage/api-keys.ts'
import applications from './manage/applications.ts'
import audit from './manage/audit.ts'
import balances from './manage/balances.ts'
import brands from './manage/brands.ts'
import commissions from './manage/commissions.ts'
import coupons from './manage/coupons.ts'
import customers from './manage/customers.ts'
import events from './manage/events.ts'
import exports from './manage/exports.ts'
import groups from './manage/groups.ts'
import imports from './manage/imports.ts'
import invitations from './manage/invitations.ts'
import invoices from './manage/invoices.ts'
import joinPages from './manage/join-pages.ts'
import links from './manage/links.ts'
import mailTexts from './manage/mail-texts.ts'
import mails from './manage/mails.ts'
import members from './manage/members.ts'
import notes from './manage/notes.ts'
import papers from './manage/papers.ts'
import partners from './manage/partners.ts'
import payer from './manage/payer.ts'
import payoutFiles from './manage/payout-files.ts'
import payouts from './manage/payouts.ts'
import personalData from './manage/personal-data.ts'
import possibleMerges from './manage/possible-merges.ts'
import programs from './manage/programs.ts'
import settings from './manage/settings.ts'
import shadow from './manage/shadow.ts'
import stats from './manage/stats.ts'
import stripe from './manage/stripe.ts'
import webhooks from './manage/webhooks.ts'
import workspaces from './manage/workspaces.ts'

/** The endpoints under /api/workspaces except imports and payout runs: one file per resource in manage/. */
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
