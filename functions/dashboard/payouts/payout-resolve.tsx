import { actOf } from '../../../lib/auth/access.ts'
import * as m from '../../../lib/languages/messages.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { code } from '../../../lib/pages/parts/tags.tsx'
import { resolvePayout } from '../../../lib/payouts/corrections/resolution.queries.ts'
import {
  resolutionRefusalOf,
  unresolvableReason,
} from '../../../lib/payouts/corrections/resolution.ts'
import { PayoutResolution } from '../../../lib/payouts/payouts.schemas.ts'
import { transferGroup } from '../../../lib/payouts/payouts.ts'
import { payoutAction, portalOf } from './payout-action.tsx'

/** What each decision does. */
export const ResolutionEffect = () => (
  <ul>
    <li>{t(m.payouts_sent_payout_paid)}</li>
    <li>{t(m.payouts_not_sent_commissions)}</li>
  </ul>
)

/**
 * The Enter key in a field presses a form's first button: here one that does nothing, as no
 * decision is the usual one.
 */
export const ResolutionButtons = () => (
  <>
    <button type="submit" disabled hidden></button>
    <button type="submit" name="outcome" value="not_sent" class="danger">
      {t(m.payouts_mark_not_sent)}
    </button>
    <button type="submit" name="outcome" value="sent" class="quiet">
      {t(m.payouts_mark_as_sent)}
    </button>
  </>
)

/**
 * /app/:workspace/payouts/:id/resolve: decides whether a payout was sent, when Stripe cannot be
 * asked.
 */
export default payoutAction({
  path: 'resolve',
  title: m.payouts_unclear_payout,
  heading: m.payouts_was_it_sent,
  refusalOf: unresolvableReason,
  effect: ({ id, unreachableSince, lastError }) => (
    <>
      <p>
        {t(m.payouts_unreachable_since, {
          since: () => unreachableSince && <Time at={unreachableSince} />,
          lastError: lastError ?? '',
        })}
      </p>
      <p>{t(m.payouts_find_out_by_group, { group: transferGroup(id), code })}</p>
      <ResolutionEffect />
    </>
  ),
  reasonHint: m.payouts_how_you_know,
  buttons: () => <ResolutionButtons />,
  read: ({ outcome, reason = '' }) => checkForm(PayoutResolution, { input: { outcome, reason } }),
  act: (c, id, resolution) =>
    resolvePayout(c.var.db, actOf(c), id, { ...resolution, portalUrl: portalOf(c) }),
  refusedAs: resolutionRefusalOf,
  doneOf: (_, { outcome }) => `resolved_${outcome}`,
})
