import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { notFound } from '../../../lib/http/found-or-404.ts'
import { Page } from '../../../lib/http/lists.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { LinkButton } from '../../../lib/pages/forms/buttons.tsx'
import { Done, LinkLine, noticeFor, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { noSuchPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { readFilters } from '../../../lib/pages/tables/filters.tsx'
import { PartnerName } from '../../../lib/pages/tables/ledger.tsx'
import { NextPage, Table } from '../../../lib/pages/tables/table.tsx'
import {
  listPartnerBalances,
  type PartnerBalance,
} from '../../../lib/payouts/balances/balances.queries.ts'
import { pageOfPartners } from '../../../lib/payouts/balances/balances.ts'
import { writeOff } from '../../../lib/payouts/corrections/write-off.queries.ts'
import { WriteOff } from '../../../lib/payouts/payouts.schemas.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

const DONE = { written_off: m.payouts_balance_written_off }

type RowProps = { base: string; balance: PartnerBalance; mayWriteOff: boolean }

const Row = ({ base, balance, mayWriteOff }: RowProps) => {
  const { partnerId, partnerName, partnerSlug, currency, amountCents, owedSince } = balance
  const owed = money(-amountCents, currency)
  return (
    <tr>
      <td class="name">
        <PartnerName base={base} id={partnerId} name={partnerName} slug={partnerSlug} />
      </td>
      <td class="number">{owed}</td>
      <td>{owedSince && <Time at={owedSince} />}</td>
      {mayWriteOff && (
        <td>
          <form method="post" action={`${base}/payouts/owed`}>
            <input type="hidden" name="partnerId" value={partnerId} />
            <input type="hidden" name="currency" value={currency} />
            <input type="hidden" name="amountCents" value={String(-amountCents)} />
            <LinkButton>
              {t(m.payouts_write_off, { owed, partner: partnerName ?? partnerSlug, hidden })}
            </LinkButton>
          </form>
        </td>
      )}
    </tr>
  )
}

/** Renders the page, with the reason if a balance could not be written off. */
const show = async (c: Context<WorkspaceEnv>, refusal?: string) => {
  const { db, now, workspace } = c.var
  const t = textsOf(c)
  const { data: request } = readFilters(c, Page)
  if (!request) throw noSuchPage()
  const { cursor, limit } = request
  const rows = await listPartnerBalances(
    db,
    workspace.id,
    { owed: true, cursor, limit: limit + 1 },
    now,
  )
  const { data, nextCursor } = pageOfPartners(rows, limit)
  const base = `/app/${workspace.slug}`
  const mayWriteOff = mayOpen(workspace, 'POST /payouts/owed')
  const done = refusal ? undefined : noticeFor(DONE, c.req.query('done'))
  const children = (
    <>
      <LinkLine href={`${base}/payouts`}>{t(m.nav_payouts)}</LinkLine>
      <h1>{t(m.payouts_owed_by_partners)}</h1>
      <Problem message={refusal} />
      <Done message={done} />
      <p>{t(m.payouts_more_reversed_deducted)}</p>
      {data.length > 0 ? (
        <Table
          caption={t(m.payouts_owed_by_partners)}
          head={[
            t(m.partner),
            { number: t(m.payouts_owed) },
            t(m.payouts_since),
            ...(mayWriteOff ? [t(m.action_column)] : []),
          ]}
        >
          {data.map((balance) => (
            <Row base={base} balance={balance} mayWriteOff={mayWriteOff} />
          ))}
        </Table>
      ) : (
        <p class="empty">{t(m.payouts_no_partner_owes)}</p>
      )}
      <NextPage url={new URL(`${base}/payouts/owed`, c.req.url).href} cursor={nextCursor} />
    </>
  )
  return renderSection(c, '/payouts', m.payouts_owed_by_partners, children, refusal ? 409 : 200)
}

const PATH = '/app/:workspace/payouts/owed'

/** /app/:workspace/payouts/owed: negative balances, which managers write off. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const t = textsOf(c)
    const { data, errors } = checked(WriteOff, c.req.valid('form'))
    if (errors) return show(c, t(m.payouts_balance_changed_since))
    const isWrittenOff = await writeOff(c.var.db, actOf(c), data)
    if (isWrittenOff === undefined) throw notFound('partner')
    if (!isWrittenOff) return show(c, t(m.payouts_balance_changed_since))
    return c.redirect(`/app/${c.var.workspace.slug}/payouts/owed?done=written_off`, 303)
  })
