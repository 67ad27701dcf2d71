/** What a cut-over takes over, what prevents it, and the button. */

import * as m from '../../../lib/languages/messages.ts'
import { DangerButton, QuietButton } from '../../../lib/pages/forms/buttons.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { LinkCell, Table } from '../../../lib/pages/tables/table.tsx'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import type { CutOverPreview } from '../../../lib/shadow/cut-over/cut-over.service.ts'
import { type OwedBalance, REFUSALS } from '../../../lib/shadow/cut-over/cut-over.ts'

const SHOWN = 100

const Balances = ({ base, balances }: { base: string; balances: OwedBalance[] }) => (
  <>
    <Table
      caption={t(m.shadow_balances_taken)}
      head={[t(m.partner), t(m.shadow_recorded_as), { number: t(m.balance) }]}
    >
      {balances.slice(0, SHOWN).map(({ email, partnerId, currency, amountCents }) => (
        <tr>
          <LinkCell href={`${base}/partners/${partnerId}`}>{email}</LinkCell>
          <td>
            {currency === 'USD' && amountCents > 0n
              ? t(m.kind_opening_balance)
              : t(m.kind_adjustment)}
          </td>
          <td class="number">{money(amountCents, currency)}</td>
        </tr>
      ))}
    </Table>
    {balances.length > SHOWN && (
      <p class="hint">{t(m.shadow_smaller_balances, { count: balances.length - SHOWN })}</p>
    )}
  </>
)

/** Balances that cannot be taken over, with a checkbox that leaves them out. */
const Refused = ({ refused }: { refused: OwedBalance[] }) => (
  <Table
    caption={t(m.shadow_balances_refused)}
    head={[t(m.shadow_leave_out), t(m.partner), t(m.layout_reason), { number: t(m.balance) }]}
  >
    {refused.slice(0, SHOWN).map(({ email, currency, amountCents, code }) => (
      <tr>
        <td>
          <input
            type="checkbox"
            form="cut-over-preview"
            name="leaveOut"
            value={email ?? ''}
            aria-label={
              email ? t(m.shadow_leave_out_email, { email }) : t(m.shadow_leave_out_unknown)
            }
          />
        </td>
        <td>{email ?? t(m.shadow_no_partner)}</td>
        <td class="words">{code && REFUSALS[code]}</td>
        <td class="number">{money(amountCents, currency)}</td>
      </tr>
    ))}
  </Table>
)

type Props = {
  base: string
  program: Program
  preview: CutOverPreview
  leaveOut: string[]
  problem?: string | undefined
}

export const CutOverPage = ({ base, program, preview, leaveOut, problem }: Props) => {
  const path = `${base}/programs/${program.id}/shadow`
  const { sums, balances, refused, unread } = preview
  return (
    <>
      <LinkLine href={path}>{t(m.shadow_run_of, { name: program.name })}</LinkLine>
      <h1>{t(m.shadow_cut_over_title)}</h1>
      <Problem message={problem ?? unread ?? undefined} />
      <p>{t(m.shadow_cut_over_effect)}</p>
      <ul>
        {sums.length === 0 && <li>{t(m.shadow_nothing_taken)}</li>}
        {sums.map(({ currency, partners, amountCents }) => (
          <li>
            {t(m.shadow_amount_of_partners, {
              amount: money(BigInt(amountCents), currency),
              partners,
            })}
          </li>
        ))}
        {leaveOut.length > 0 && (
          <li>{t(m.shadow_addresses_left_out, { count: leaveOut.length })}</li>
        )}
      </ul>
      {refused.length > 0 && (
        <>
          <p class="notice">{t(m.shadow_balances_refused_notice, { count: refused.length })}</p>
          <Refused refused={refused} />
          <form method="get" id="cut-over-preview">
            {leaveOut.map((email) => (
              <input type="hidden" name="leaveOut" value={email} />
            ))}
            <p class="actions">
              <QuietButton>{t(m.shadow_leave_out_selected)}</QuietButton>
            </p>
          </form>
        </>
      )}
      {balances.length > 0 && <Balances base={base} balances={balances} />}
      {refused.length === 0 && !unread && (
        <form method="post" action={`${path}/cut-over`}>
          <input type="hidden" name="leaveOut" value={JSON.stringify(leaveOut)} />
          <input type="hidden" name="expected" value={JSON.stringify(sums)} />
          <p class="actions">
            <DangerButton>{t(m.shadow_cut_over)}</DangerButton> <a href={path}>{t(m.cancel)}</a>
          </p>
        </form>
      )}
    </>
  )
}
