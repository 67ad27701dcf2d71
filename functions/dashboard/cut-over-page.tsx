/** The page of a cut-over: what it takes over, what keeps the program from it, and the button. */

import { money } from '../../lib/pages/money.tsx'
import { Problem, Table } from '../../lib/pages/parts.tsx'
import { counted } from '../../lib/plural.ts'
import type { CutOverOutcome } from '../../lib/shadow/cut-over.service.ts'
import { type OwedBalance, REFUSALS, UNREAD } from '../../lib/shadow/cut-over.ts'
import type { Program } from '../../lib/workspace/programs.queries.ts'

/** Balances that are shown. */
const SHOWN = 100

const Balances = ({ base, balances }: { base: string; balances: OwedBalance[] }) => (
  <>
    <Table caption="Balances that are taken over" head={['Partner', 'Recorded as', { number: 'Balance' }]}>
      {balances.slice(0, SHOWN).map(({ email, partnerId, currency, amountCents }) => (
        <tr>
          <td>
            <a href={`${base}/partners/${partnerId}`}>{email}</a>
          </td>
          <td>{currency === 'USD' && amountCents > 0n ? 'Opening balance' : 'Adjustment'}</td>
          <td class="number">{money(amountCents, currency)}</td>
        </tr>
      ))}
    </Table>
    {balances.length > SHOWN && (
      <p class="hint">And {counted(balances.length - SHOWN, 'smaller balance')}.</p>
    )}
  </>
)

/** What cannot be taken over, with a box that leaves it out. */
const Refused = ({ refused }: { refused: OwedBalance[] }) => (
  <Table
    caption="Balances that cannot be taken over"
    head={['Leave out', 'Partner', 'Reason', { number: 'Balance' }]}
  >
    {refused.slice(0, SHOWN).map(({ email, currency, amountCents, code }) => (
      <tr>
        <td>
          <input
            type="checkbox"
            form="cut-over-preview"
            name="leaveOut"
            value={email ?? ''}
            aria-label={`Leave out ${email ?? 'commissions without a partner'}`}
          />
        </td>
        <td>{email ?? 'No partner'}</td>
        <td class="words">{code && REFUSALS[code]}</td>
        <td class="number">{money(amountCents, currency)}</td>
      </tr>
    ))}
  </Table>
)

type Props = {
  base: string
  program: Program
  preview: CutOverOutcome
  leaveOut: string[]
  problem?: string | undefined
}

export const CutOverPage = ({ base, program, preview, leaveOut, problem }: Props) => {
  const path = `${base}/programs/${program.id}/shadow`
  const { sums, balances, refused, isUnread } = preview
  return (
    <>
      <p>
        <a href={path}>Shadow run of {program.name}</a>
      </p>
      <h1>Cut-over</h1>
      <Problem message={problem ?? (isUnread ? UNREAD : undefined)} />
      <p>
        This ends the shadow run. From then on, this program decides and pays. What it has decided until now
        is never paid from here. What the other platform still owes your partners, by its commissions here,
        becomes payable at once: upload its newest export or read it by API first, and pay nothing there
        afterwards.
      </p>
      <ul>
        {sums.length === 0 && <li>Nothing is taken over: by these commissions, nobody is owed anything.</li>}
        {sums.map(({ currency, partners, amountCents }) => (
          <li>
            {money(BigInt(amountCents), currency)} of {counted(partners, 'partner')}
          </li>
        ))}
        {leaveOut.length > 0 && <li>{counted(leaveOut.length, 'address is', 'addresses are')} left out.</li>}
      </ul>
      {refused.length > 0 && (
        <>
          <p class="notice">
            {counted(refused.length, 'balance')} cannot be taken over. Import the missing partners, or leave
            them out, before you cut over.
          </p>
          <Refused refused={refused} />
          <form method="get" id="cut-over-preview">
            {leaveOut.map((email) => (
              <input type="hidden" name="leaveOut" value={email} />
            ))}
            <p class="actions">
              <button type="submit" class="quiet">
                Leave out the selected
              </button>
            </p>
          </form>
        </>
      )}
      {balances.length > 0 && <Balances base={base} balances={balances} />}
      {refused.length === 0 && !isUnread && (
        <form method="post" action={`${path}/cut-over`}>
          <input type="hidden" name="leaveOut" value={JSON.stringify(leaveOut)} />
          <input type="hidden" name="expected" value={JSON.stringify(sums)} />
          <p class="actions">
            <button type="submit" class="danger">
              Cut over
            </button>{' '}
            <a href={path}>Cancel</a>
          </p>
        </form>
      )}
    </>
  )
}
