import * as m from '../../../lib/languages/messages.ts'
import { Day } from '../../../lib/pages/layout/portal.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import type { Balance, Partnership } from '../../../lib/portal/portal.queries.ts'
import { nextOccurrence } from '../../../lib/rules/programs/schedules.ts'

type NumbersProps = {
  balance: Balance
  minimumCents: bigint
  /** The amount due in all programs of the workspace, which must reach the minimum. */
  dueCents: bigint
}

/** A partner's balance in one currency. */
const BalanceNumbers = ({ balance, minimumCents, dueCents }: NumbersProps) => {
  const { currency, heldCents, pendingCents, payableCents, processingCents, paidCents } = balance
  const numbers: [label: string, cents: bigint][] = [
    ...(heldCents === 0n ? [] : ([[t(m.balance_held), heldCents]] as [string, bigint][])),
    [t(m.balance_pending), pendingCents],
    [t(m.balance_payable), payableCents],
    [t(m.balance_processing), processingCents],
    [t(m.balance_paid), paidCents],
  ]
  return (
    <>
      <dl class="balance">
        {numbers.map(([label, cents]) => (
          <div>
            <dt>{label}</dt>
            <dd>{money(cents, currency)}</dd>
          </div>
        ))}
      </dl>
      {payableCents < 0n && <p class="hint">{t(m.balance_negative)}</p>}
      {payableCents > 0n && dueCents < minimumCents && (
        <p class="hint">{t(m.balance_minimum, { amount: money(minimumCents, currency) })}</p>
      )}
    </>
  )
}

/**
 * When payable commissions are paid. Schedules need Stripe, so they are ignored in a workspace
 * without it.
 */
const NextPayout = ({ partnership, now }: { partnership: Partnership; now: Date }) => {
  const { status, paysByStripe } = partnership
  const next = paysByStripe ? nextOccurrence(partnership, now) : null
  if (status === 'banned') return <>{t(m.balance_hint_banned)}</>
  return (
    <>{next ? t(m.balance_hint_next, { day: () => <Day at={next} /> }) : t(m.balance_hint_open)}</>
  )
}

type Props = {
  partnership: Partnership
  balances: Balance[]
  /** The amounts due to the partner in all programs of the workspace, by currency. */
  due: ReadonlyMap<string, bigint>
  now: Date
}

/** A partner's balances in one program, and the next payout. */
export const Balances = ({ partnership, balances, due, now }: Props) => (
  <>
    <h3>{t(m.balance)}</h3>
    {balances.map((balance) => (
      <BalanceNumbers
        balance={balance}
        minimumCents={partnership.minimumPayoutCents}
        dueCents={due.get(balance.currency) ?? 0n}
      />
    ))}
    <p class="hint">
      {balances.length === 0 ? (
        t(m.balance_none)
      ) : (
        <NextPayout partnership={partnership} now={now} />
      )}
    </p>
  </>
)
