import type { Context } from 'hono'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { notFound } from '../../lib/http/found.ts'
import { Page } from '../../lib/http/lists.ts'
import { checked, form } from '../../lib/http/validate.ts'
import { readFilters } from '../../lib/pages/filters.tsx'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Done, NextPage, noticeFor, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { noSuchPage, renderPage } from '../../lib/pages/render.tsx'
import { listPartnerBalances, type PartnerBalance } from '../../lib/payouts/balances.queries.ts'
import { pageOfPartners } from '../../lib/payouts/balances.ts'
import { WriteOff } from '../../lib/payouts/payouts.schemas.ts'
import { writeOff } from '../../lib/payouts/write-off.queries.ts'

const DONE = { written_off: 'Balance written off.' }

const CHANGED = 'The balance has changed since you saw it, so nothing was written off. Check it again.'

type RowProps = { base: string; balance: PartnerBalance; isManager: boolean }

const Row = ({ base, balance, isManager }: RowProps) => {
  const { partnerId, partnerName, partnerSlug, currency, amountCents, owedSince } = balance
  const owed = money(-amountCents, currency)
  return (
    <tr>
      <td class="name">
        <PartnerName base={base} id={partnerId} name={partnerName} slug={partnerSlug} />
      </td>
      <td class="number">{owed}</td>
      <td>{owedSince && <Time at={owedSince} />}</td>
      {isManager && (
        <td>
          <form method="post" action={`${base}/payouts/owed`}>
            <input type="hidden" name="partnerId" value={partnerId} />
            <input type="hidden" name="currency" value={currency} />
            <input type="hidden" name="amountCents" value={String(-amountCents)} />
            <button type="submit" class="link">
              Write off
              <span class="hidden">
                {' '}
                {owed} of {partnerName ?? partnerSlug}
              </span>
            </button>
          </form>
        </td>
      )}
    </tr>
  )
}

/** Renders the page, with the reason if a balance could not be written off. */
const show = async (c: Context<WorkspaceEnv>, refusal?: string) => {
  const { db, now, workspace } = c.var
  const { data: request } = readFilters(c, Page)
  if (!request) throw noSuchPage()
  const { cursor, limit } = request
  const rows = await listPartnerBalances(db, workspace.id, { owed: true, cursor, limit: limit + 1 }, now)
  const { data, nextCursor } = pageOfPartners(rows, limit)
  const base = `/app/${workspace.slug}`
  const isManager = workspace.role === 'manager'
  const children = (
    <>
      <p>
        <a href={`${base}/payouts`}>Payouts</a>
      </p>
      <h1>Owed by partners</h1>
      <Problem message={refusal} />
      <Done message={refusal ? undefined : noticeFor(DONE, c.req.query('done'))} />
      <p>
        More was reversed or deducted than these partners have earned since their last payout. It is deducted
        from what they earn next. Write it off if they will not earn it.
      </p>
      {data.length > 0 ? (
        <Table
          caption="Owed by partners"
          head={['Partner', { number: 'Owed' }, 'Since', ...(isManager ? ['Action'] : [])]}
        >
          {data.map((balance) => (
            <Row base={base} balance={balance} isManager={isManager} />
          ))}
        </Table>
      ) : (
        <p class="empty">No partner owes anything.</p>
      )}
      <NextPage url={new URL(`${base}/payouts/owed`, c.req.url).href} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Owed by partners', section: '/payouts', children }, refusal ? 409 : 200)
}

const PATH = '/app/:workspace/payouts/owed'

/** /app/:workspace/payouts/owed: negative balances, which managers write off. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c))
  .post(PATH, managersOnly(), form(), async (c) => {
    const { data, errors } = checked(WriteOff, c.req.valid('form'))
    if (errors) return show(c, CHANGED)
    const isWrittenOff = await writeOff(c.var.db, actOf(c), data)
    if (isWrittenOff === undefined) throw notFound('partner')
    if (!isWrittenOff) return show(c, CHANGED)
    return c.redirect(`/app/${c.var.workspace.slug}/payouts/owed?done=written_off`, 303)
  })
