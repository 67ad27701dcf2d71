import { byRole, inWorkspace } from '../lib/auth/access.ts'
import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/rpc/nudge.service.ts'
import { createPages, signedIn } from '../lib/pages/layout/render.tsx'
import checks from './dashboard/checks/checks.tsx'
import commission from './dashboard/commissions/commission.tsx'
import commissions from './dashboard/commissions/commissions.tsx'
import commissionsActions from './dashboard/commissions/commissions-actions.tsx'
import heldCommissions from './dashboard/commissions/held-commissions.tsx'
import customers from './dashboard/events/customers.tsx'
import eventCredit from './dashboard/events/event-credit.tsx'
import eventRefund from './dashboard/events/event-refund.tsx'
import events from './dashboard/events/events.tsx'
import mismatches from './dashboard/events/mismatches.tsx'
import possibleMerges from './dashboard/events/possible-merges.tsx'
import uncredited from './dashboard/events/uncredited.tsx'
import { importRoutes } from './dashboard/imports/import.tsx'
import importRewards from './dashboard/imports/import-rewards.tsx'
import importUndo from './dashboard/imports/import-undo.tsx'
import imports from './dashboard/imports/imports.tsx'
import memberAddress from './dashboard/members/member-address.tsx'
import members from './dashboard/members/members.tsx'
import membership from './dashboard/members/membership.tsx'
import overview from './dashboard/overview/overview.tsx'
import search from './dashboard/overview/search.tsx'
import trackingTest from './dashboard/overview/tracking-test.tsx'
import workspaces from './dashboard/overview/workspaces.tsx'
import invoices from './dashboard/papers/invoices.tsx'
import papers from './dashboard/papers/papers.tsx'
import payer from './dashboard/papers/payer.tsx'
import notes from './dashboard/partner/notes.tsx'
import owed from './dashboard/partner/owed.tsx'
import partner from './dashboard/partner/partner.tsx'
import personalData from './dashboard/partner/personal-data.tsx'
import applications from './dashboard/partners/applications.tsx'
import invitations from './dashboard/partners/invitations.tsx'
import newPartner from './dashboard/partners/new-partner.tsx'
import partners from './dashboard/partners/partners.tsx'
import partnersActions from './dashboard/partners/partners-actions.tsx'
import partnersBonus from './dashboard/partners/partners-bonus.tsx'
import partnersExport from './dashboard/partners/partners-export.ts'
import partnersMail from './dashboard/partners/partners-mail.tsx'
import partnersMoved from './dashboard/partners/partners-moved.tsx'
import payoutActions from './dashboard/payouts/payout-actions.tsx'
import payoutList from './dashboard/payouts/payout-list.tsx'
import payoutTemplate from './dashboard/payouts/payout-template.tsx'
import payouts from './dashboard/payouts/payouts.tsx'
import groups from './dashboard/programs/groups.tsx'
import joinPage from './dashboard/programs/join-page.tsx'
import mailPreview from './dashboard/programs/mail-preview.tsx'
import mails from './dashboard/programs/mails.tsx'
import programs from './dashboard/programs/programs.tsx'
import rewards from './dashboard/rewards/rewards.tsx'
import payoutRunResolve from './dashboard/runs/payout-run-resolve.tsx'
import apiKeys from './dashboard/settings/api-keys.tsx'
import audit from './dashboard/settings/audit.tsx'
import deletion from './dashboard/settings/deletion.tsx'
import settings from './dashboard/settings/settings.tsx'
import supportAddress from './dashboard/settings/support-address.tsx'
import shadow from './dashboard/shadow/shadow.tsx'
import shadowCutOver from './dashboard/shadow/shadow-cut-over.tsx'
import stripe from './dashboard/stripe/stripe.tsx'
import bonuses from './dashboard/tiers/bonuses.tsx'
import tiers from './dashboard/tiers/tiers.tsx'
import webhookDeliveries from './dashboard/webhooks/webhook-deliveries.tsx'
import webhookEndpoint from './dashboard/webhooks/webhook-endpoint.tsx'
import webhooks from './dashboard/webhooks/webhooks.tsx'

/** The pages for members and managers, under /app: one file per section in dashboard/. */
export default createPages<NudgeEnv<'OUTBOX' | 'PAYOUT_QUEUE' | 'WEBHOOKS'>['Bindings']>()
  .use(nudgeAfterChanges('OUTBOX', 'PAYOUT_QUEUE', 'WEBHOOKS'))
  .use('/app/*', signedIn())
  .use('/app/:workspace/*', inWorkspace(), byRole())
  .route('/', workspaces)
  .route('/', overview)
  .route('/', search)
  .route('/', programs)
  .route('/', shadow)
  .route('/', shadowCutOver)
  .route('/', groups)
  .route('/', rewards)
  .route('/', tiers)
  .route('/', bonuses)
  .route('/', partners)
  .route('/', partnersActions)
  .route('/', partnersExport)
  .route('/', partnersMail)
  .route('/', partnersMoved)
  .route('/', newPartner)
  .route('/', partnersBonus)
  .route('/', invitations)
  .route('/', applications)
  .route('/', joinPage)
  .route('/', partner)
  .route('/', notes)
  .route('/', importRoutes)
  .route('/', imports)
  .route('/', importUndo)
  .route('/', importRewards)
  .route('/', events)
  .route('/', eventCredit)
  .route('/', eventRefund)
  .route('/', uncredited)
  .route('/', trackingTest)
  .route('/', checks)
  .route('/', mismatches)
  .route('/', commissions)
  .route('/', heldCommissions)
  .route('/', commissionsActions)
  .route('/', commission)
  .route('/', owed)
  .route('/', customers)
  .route('/', possibleMerges)
  .route('/', personalData)
  .route('/', payouts)
  .route('/', payoutList)
  .route('/', payoutActions)
  .route('/', payoutRunResolve)
  .route('/', payoutTemplate)
  .route('/', payer)
  .route('/', invoices)
  .route('/', papers)
  .route('/', apiKeys)
  .route('/', stripe)
  .route('/', webhooks)
  .route('/', webhookEndpoint)
  .route('/', webhookDeliveries)
  .route('/', membership)
  .route('/', memberAddress)
  .route('/', members)
  .route('/', settings)
  .route('/', supportAddress)
  .route('/', deletion)
  .route('/', mailPreview)
  .route('/', mails)
  .route('/', audit)
