import { byRole, inWorkspace } from '../lib/auth/access.ts'
import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/nudge.service.ts'
import { createPages, signedIn } from '../lib/pages/render.tsx'
import apiKeys from './dashboard/api-keys.tsx'
import applications from './dashboard/applications.tsx'
import audit from './dashboard/audit.tsx'
import commission from './dashboard/commission.tsx'
import commissions from './dashboard/commissions.tsx'
import commissionsActions from './dashboard/commissions-actions.tsx'
import customers from './dashboard/customers.tsx'
import deletion from './dashboard/deletion.tsx'
import eventCredit from './dashboard/event-credit.tsx'
import eventRefund from './dashboard/event-refund.tsx'
import events from './dashboard/events.tsx'
import groups from './dashboard/groups.tsx'
import heldCommissions from './dashboard/held-commissions.tsx'
import { importRoutes } from './dashboard/import.tsx'
import importUndo from './dashboard/import-undo.tsx'
import imports from './dashboard/imports.tsx'
import invitations from './dashboard/invitations.tsx'
import invoices from './dashboard/invoices.tsx'
import joinPage from './dashboard/join-page.tsx'
import mailPreview from './dashboard/mail-preview.tsx'
import mails from './dashboard/mails.tsx'
import memberAddress from './dashboard/member-address.tsx'
import members from './dashboard/members.tsx'
import membership from './dashboard/membership.tsx'
import mismatches from './dashboard/mismatches.tsx'
import newPartner from './dashboard/new-partner.tsx'
import notes from './dashboard/notes.tsx'
import overview from './dashboard/overview.tsx'
import owed from './dashboard/owed.tsx'
import papers from './dashboard/papers.tsx'
import partner from './dashboard/partner.tsx'
import partners from './dashboard/partners.tsx'
import partnersActions from './dashboard/partners-actions.tsx'
import partnersExport from './dashboard/partners-export.ts'
import partnersMail from './dashboard/partners-mail.tsx'
import partnersMoved from './dashboard/partners-moved.tsx'
import payer from './dashboard/payer.tsx'
import payoutCancel from './dashboard/payout-cancel.tsx'
import payoutList from './dashboard/payout-list.tsx'
import payoutRelease from './dashboard/payout-release.tsx'
import payoutResolve from './dashboard/payout-resolve.tsx'
import payoutReturn from './dashboard/payout-return.tsx'
import payoutRunResolve from './dashboard/payout-run-resolve.tsx'
import payoutTemplate from './dashboard/payout-template.tsx'
import payouts from './dashboard/payouts.tsx'
import personalData from './dashboard/personal-data.tsx'
import possibleMerges from './dashboard/possible-merges.tsx'
import programs from './dashboard/programs.tsx'
import search from './dashboard/search.tsx'
import settings from './dashboard/settings.tsx'
import shadow from './dashboard/shadow.tsx'
import shadowCutOver from './dashboard/shadow-cut-over.tsx'
import stripe from './dashboard/stripe.tsx'
import supportAddress from './dashboard/support-address.tsx'
import trackingTest from './dashboard/tracking-test.tsx'
import uncredited from './dashboard/uncredited.tsx'
import webhookDeliveries from './dashboard/webhook-deliveries.tsx'
import webhookEndpoint from './dashboard/webhook-endpoint.tsx'
import webhooks from './dashboard/webhooks.tsx'
import workspaces from './dashboard/workspaces.tsx'

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
  .route('/', partners)
  .route('/', partnersActions)
  .route('/', partnersExport)
  .route('/', partnersMail)
  .route('/', partnersMoved)
  .route('/', newPartner)
  .route('/', invitations)
  .route('/', applications)
  .route('/', joinPage)
  .route('/', partner)
  .route('/', notes)
  .route('/', importRoutes)
  .route('/', imports)
  .route('/', importUndo)
  .route('/', events)
  .route('/', eventCredit)
  .route('/', eventRefund)
  .route('/', uncredited)
  .route('/', trackingTest)
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
  .route('/', payoutCancel)
  .route('/', payoutRelease)
  .route('/', payoutResolve)
  .route('/', payoutReturn)
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
