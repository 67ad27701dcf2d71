import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { settingsOf } from '../../../lib/pages/parts/payouts.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import { payableIn } from '../../../lib/payouts/balances/balances.ts'
import type { readPayoutsPage } from '../../../lib/payouts/balances/overview.queries.ts'
import { SKIP_REASONS } from '../../../lib/payouts/balances/skip-reasons.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'

type PayoutsData = Awaited<ReturnType<typeof readPayoutsPage>>

/** A longer list would hide the sentence around it. */
const MAX_COUNTRIES = 10
const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' })

/** The partners per country: "Kenya (2), Nigeria (1)". */
const countries = (elsewhere: PayoutsData['elsewhere']): string =>
  [
    ...elsewhere
      .slice(0, MAX_COUNTRIES)
      .map(
        ({ country, people }) =>
          `${COUNTRY_NAMES.of(country) ?? country} (${people.toLocaleString('en')})`,
      ),
    ...(elsewhere.length > MAX_COUNTRIES ? [t(m.payouts_other_countries)] : []),
  ].join(', ')

type ElsewhereProps = { data: PayoutsData; workspace: Workspace }

/** Partners in countries that the Stripe account cannot transfer to, with or without a balance. */
export const Elsewhere = ({ data: { elsewhere, manualPayouts }, workspace }: ElsewhereProps) => {
  const people = elsewhere.reduce((sum, one) => sum + one.people, 0)
  if (people === 0) return null
  return (
    <p>
      {t(m.payouts_elsewhere, { count: people, countries: countries(elsewhere) })}{' '}
      {manualPayouts
        ? t(m.payouts_pay_run_bank)
        : t(m.payouts_pay_turn_bank, { link: linkTo(settingsOf(workspace)) })}
    </p>
  )
}

/** Partners whom Stripe cannot pay, as of the last read of their accounts. */
export const Unready = ({ data: { unconnected, inReview, restricted } }: { data: PayoutsData }) => (
  <>
    {unconnected > 0 && <p>{t(m.payouts_unconnected, { count: unconnected })}</p>}
    {restricted > 0 && <p>{t(m.payouts_restricted, { count: restricted })}</p>}
    {inReview > 0 && <p>{t(m.payouts_in_review, { count: inReview })}</p>}
  </>
)

/** Payable, blocked, negative, pending, processing and paid amounts, by currency. */
export const Owed = ({ data: { earned, balances }, base }: { data: PayoutsData; base: string }) => {
  if (earned.length === 0) {
    return <p class="empty">{t(m.payouts_no_balances_yet)}</p>
  }
  const sums = earned.map((row) => {
    const { blockedCents, ...payable } = payableIn(balances, row.currency)
    return { ...row, ...payable, blockedCents: blockedCents + row.heldCents }
  })
  const hasBlocked = sums.some(({ blockedCents }) => blockedCents > 0n)
  const hasOwed = sums.some(({ owedCents }) => owedCents > 0n)
  return (
    <Table
      caption={t(m.payouts_balances)}
      head={[
        t(m.layout_currency),
        { number: t(m.balance_payable) },
        ...(hasBlocked ? [{ number: t(m.payouts_blocked) }] : []),
        ...(hasOwed ? [{ number: t(m.payouts_owed_back) }] : []),
        { number: t(m.balance_pending) },
        { number: t(m.balance_processing) },
        { number: t(m.balance_paid) },
      ]}
    >
      {sums.map(({ currency, payableCents, blockedCents, owedCents, ...earned }) => (
        <tr>
          <th scope="row">{currency}</th>
          <td class="number">
            <a href={`${base}/commissions?status=payable`}>{money(payableCents, currency)}</a>
          </td>
          {hasBlocked && <td class="number">{money(blockedCents, currency)}</td>}
          {hasOwed && (
            <td class="number">
              <a href={`${base}/payouts/owed`}>{money(owedCents, currency)}</a>
            </td>
          )}
          <td class="number">{money(earned.pendingCents, currency)}</td>
          <td class="number">{money(earned.processingCents, currency)}</td>
          <td class="number">{money(earned.paidCents, currency)}</td>
        </tr>
      ))}
    </Table>
  )
}

type BlockedProps = { data: PayoutsData; base: string }

/** Balances that a run would skip, by reason, and negative balances. */
export const Blocked = ({ data: { earned, balances }, base }: BlockedProps) => {
  const held = earned.filter(({ heldCents }) => heldCents !== 0n)
  const skipped = balances.flatMap(({ code, ...total }) => (code ? [{ ...total, code }] : []))
  if (held.length === 0 && skipped.length === 0) return null
  return (
    <>
      <h2>{t(m.payouts_not_payable_now)}</h2>
      <Table
        caption={t(m.payouts_not_payable_now)}
        head={[
          t(m.layout_reason),
          { number: t(m.layout_partners) },
          { number: t(m.amount_column) },
        ]}
      >
        {skipped.map(({ code, currency, amountCents, partners }) => (
          <tr>
            <td class="words">{SKIP_REASONS[code]}</td>
            <td class="number">{figure(partners)}</td>
            <td class="number">{money(amountCents, currency)}</td>
          </tr>
        ))}
        {held.map(({ currency, heldCents }) => (
          <tr>
            <td class="words">
              <a href={`${base}/commissions/held`}>{t(m.payouts_held_for_review)}</a>
            </td>
            <td></td>
            <td class="number">{money(heldCents, currency)}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}
