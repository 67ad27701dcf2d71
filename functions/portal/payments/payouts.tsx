import type { SessionEnv } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { merchantAt } from '../../../lib/pages/layout/brand.tsx'
import { Day, ProgramName } from '../../../lib/pages/layout/portal.tsx'
import { said, t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import { asSentence } from '../../../lib/payouts/corrections/returned-payouts.ts'
import type { BankStatus } from '../../../lib/payouts/details/banks.ts'
import type { OwnPayout } from '../../../lib/payouts/own-payouts.queries.ts'
import type { PayoutStatus } from '../../../lib/payouts/payouts.ts'
import { readOwnPayouts } from '../../../lib/portal/lists.queries.ts'
import { PortalQuery } from '../../../lib/portal/portal.schemas.ts'
import { readList, renderList } from '../list.tsx'

/** The values of messages that end with a payout's commissions: a link to them, and reversals. */
const commissionsOf = (payout: OwnPayout) => {
  const { reversedCents: reversed, reversedDeductionsCents: deductions, currency } = payout
  return {
    count: Number(payout.commissions ?? 0n),
    link: linkTo(`/portal/commissions?payout=${payout.id}`),
    less: reversed && reversed > 0n ? money(reversed, currency) : 'none',
    plus: reversed && reversed < 0n ? money(-reversed, currency) : 'none',
    deductions: deductions ? money(deductions, currency) : 'none',
  }
}

/**
 * Where a paid payout's money is. Stripe bundles transfers, so its own payout may have another
 * amount.
 */
const arrivalOf = ({ bankStatus, stripeAccountId }: OwnPayout) => {
  if (!stripeAccountId) return m.outcome_outside
  if (bankStatus === 'paid') return m.outcome_at_bank
  return bankStatus === 'on_its_way' ? m.outcome_on_its_way : m.outcome_sent
}

/** The label of a paid payout, by the state at the bank. */
const BANK_LABELS: Record<BankStatus, { status: string; label: Message }> = {
  on_its_way: { status: 'processing', label: m.payout_on_its_way },
  paid: { status: 'paid', label: m.payout_paid },
  refused: { status: 'failed', label: m.payout_refused },
}

const LABELS: Record<PayoutStatus, Message> = {
  processing: m.payout_in_progress,
  paid: m.payout_paid,
  failed: m.payout_failed,
  canceling: m.payout_canceling,
  canceled: m.payout_canceled,
  reversed: m.payout_reversed,
  returned: m.payout_returned,
}

type StatusLabelProps = { payout: OwnPayout }

const StatusLabel = ({ payout: { status, bankStatus, stripeAccountId } }: StatusLabelProps) => {
  if (bankStatus) {
    const known = BANK_LABELS[bankStatus]
    return <Status status={known.status} label={t(known.label)} />
  }
  // Whether the bank received it is unknown.
  const paid = stripeAccountId ? m.payout_sent : m.payout_paid_outside
  return <Status status={status} label={t(status === 'paid' ? paid : LABELS[status])} />
}

/** A paid payout: where its money is, and what happened since. */
const Paid = ({ payout, at }: { payout: OwnPayout; at: Date }) => (
  <>
    {t(arrivalOf(payout), { ...commissionsOf(payout), day: () => <Day at={at} /> })}{' '}
    {payout.bankStatus === 'refused' &&
      t(m.bank_refused, {
        link: linkTo(`/portal/connect/dashboard?workspace=${payout.workspaceId}`),
      })}{' '}
    {payout.reversedAtStripeCents > 0n &&
      t(m.part_reversed_at_stripe, {
        amount: money(payout.reversedAtStripeCents, payout.currency),
      })}
  </>
)

/** The state of a payout, with its date or reason. */
const Outcome = ({ payout }: { payout: OwnPayout }) => {
  const merchant = merchantAt(payout.contact)
  switch (payout.status) {
    case 'paid':
      return payout.paidAt ? <Paid payout={payout} at={payout.paidAt} /> : null
    case 'processing':
      return (
        <>
          {t(m.outcome_processing, commissionsOf(payout))}{' '}
          {payout.stripeAccountId && t(m.outcome_retried)}
        </>
      )
    case 'canceling':
      return <>{t(m.outcome_canceling)}</>
    case 'failed': {
      const reason = payout.reason ? said(payout.reason) : t(m.failed_at_stripe)
      return <>{t(m.outcome_failed, { reason, account: linkTo('/portal'), merchant })}</>
    }
    case 'reversed':
      return (
        <>
          {payout.releasedAt
            ? t(m.outcome_reversed_released)
            : t(m.outcome_reversed, { ...commissionsOf(payout), merchant })}
        </>
      )
    case 'returned': {
      const details = linkTo(`/portal/payment?workspace=${payout.workspaceId}`)
      return (
        <>
          {t(m.outcome_returned, {
            reason: asSentence(payout.returnReason ?? ''),
            details,
            merchant,
          })}
        </>
      )
    }
    default:
      return <>{t(m.outcome_canceled)}</>
  }
}

type PayoutTableProps = { payouts: OwnPayout[]; hasManyPrograms: boolean }

const PayoutTable = ({ payouts, hasManyPrograms }: PayoutTableProps) => (
  <Table
    caption={t(m.nav_payouts)}
    head={[
      t(m.created_column),
      t(m.reference_column),
      ...(hasManyPrograms ? [t(m.program)] : []),
      { number: t(m.amount_column) },
      t(m.method_column),
      t(m.status),
      t(m.details_column),
    ]}
  >
    {payouts.map((payout) => (
      <tr>
        <td>
          <Day at={payout.createdAt} />
        </td>
        <td>{payout.reference}</td>
        {hasManyPrograms && <ProgramName name={payout.program} />}
        <td class="number">{money(payout.amountCents, payout.currency)}</td>
        <td>{t(payout.stripeAccountId ? m.by_stripe : m.outside_stripe)}</td>
        <td>
          <StatusLabel payout={payout} />
        </td>
        <td class="words">
          <Outcome payout={payout} />
        </td>
      </tr>
    ))}
  </Table>
)

/** GET /portal/payouts: a partner's payouts and their status. */
export default createRoutes<SessionEnv>().get('/portal/payouts', async (c) => {
  const { db, user } = c.var
  const list = await readList(c, PortalQuery, (filter) => readOwnPayouts(db, user.email, filter))
  return renderList(c, {
    title: textsOf(c)(m.nav_payouts),
    at: '/portal/payouts',
    list,
    intro: null,
    empty: textsOf(c)(m.no_payouts),
    children: <PayoutTable payouts={list.data} hasManyPrograms={list.hasManyPrograms} />,
  })
})
