import { actOf } from '../../lib/auth/access.ts'
import { checkForm } from '../../lib/pages/forms.ts'
import { Time } from '../../lib/pages/parts.tsx'
import { PayoutResolution } from '../../lib/payouts/payouts.schemas.ts'
import { transferGroup } from '../../lib/payouts/payouts.ts'
import { resolvePayout } from '../../lib/payouts/resolution.queries.ts'
import { resolutionRefusalOf, unresolvableReason } from '../../lib/payouts/resolution.ts'
import { payoutAction, portalOf } from './payout-action.tsx'

/** What each decision does. */
export const ResolutionEffect = () => (
  <ul>
    <li>Sent: the payout is paid, and the partner is emailed. If it was not sent, the partner loses it.</li>
    <li>
      Not sent: its commissions are payable again, and the next run pays them. If it was sent, the partner is
      paid twice.
    </li>
  </ul>
)

export const RESOLUTION_HINT =
  'How you know. For example: The partner’s Stripe account shows no such payment.'

/** The Enter key in a field presses a form's first button: here one that does nothing, as no decision is the usual one. */
export const ResolutionButtons = () => (
  <>
    <button type="submit" disabled hidden></button>
    <button type="submit" name="outcome" value="not_sent" class="danger">
      Mark as not sent
    </button>
    <button type="submit" name="outcome" value="sent" class="quiet">
      Mark as sent
    </button>
  </>
)

/** /app/:workspace/payouts/:id/resolve: decides whether a payout was sent, when Stripe cannot be asked. */
export default payoutAction({
  path: 'resolve',
  title: 'Unclear payout',
  heading: 'Was this payout sent?',
  refusalOf: unresolvableReason,
  effect: ({ id, unreachableSince, lastError }) => (
    <>
      <p>
        Stripe could not be asked since {unreachableSince && <Time at={unreachableSince} />}. {lastError} If
        your Stripe account still exists, set a working key of it instead: the payout is then looked up.
      </p>
      <p>
        Otherwise find out whether there is a transfer with the group <code>{transferGroup(id)}</code>: in
        Stripe’s dashboard or your last export, from Stripe’s support, or from the partner. This cannot be
        undone.
      </p>
      <ResolutionEffect />
    </>
  ),
  reasonHint: RESOLUTION_HINT,
  buttons: <ResolutionButtons />,
  read: ({ outcome, reason = '' }) => checkForm(PayoutResolution, { input: { outcome, reason } }),
  act: (c, id, resolution) =>
    resolvePayout(c.var.db, actOf(c), id, { ...resolution, portalUrl: portalOf(c) }),
  refusedAs: resolutionRefusalOf,
  doneOf: (_, { outcome }) => `resolved_${outcome}`,
})
