import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import * as m from '../../../lib/languages/messages.ts'
import { readCheckedFacts } from '../../../lib/overview/findings.queries.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { figure } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { LinkCell, Table } from '../../../lib/pages/tables/table.tsx'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import type { DoubtfulCredits } from '../../../lib/tracking/checks/doubtful-credits.queries.ts'
import {
  CHECKS,
  type Check,
  type Finding,
  findingsOf,
} from '../../../lib/tracking/checks/findings.ts'
import { hrefIn, WORDS } from './findings.ts'

type RowProps = { check: Check; findings: Finding[]; workspace: Workspace; base: string }

const Row = ({ check, findings, workspace, base }: RowProps) => {
  const { name, help, text, href, route } = WORDS[check]
  const isOpen = !route || mayOpen(workspace, route)
  return (
    <tr>
      <td class="words">{t(name)}</td>
      <td class="words">
        {findings.length === 0 && t(m.checks_nothing_found)}
        {findings.map((finding) => (
          <div>
            {isOpen ? <a href={hrefIn(base, href(finding))}>{text(finding)}</a> : text(finding)}
          </div>
        ))}
        <div class="hint">{t(help)}</div>
      </td>
    </tr>
  )
}

/** The partners to whom late leads and unverified addresses were credited recently. */
const Doubtful = ({ rows, base }: { rows: DoubtfulCredits[]; base: string }) =>
  rows.length > 0 && (
    <section class="card" id="doubtful">
      <h2>{t(m.overview_doubtful_credits)}</h2>
      <p>{t(m.overview_doubtful_help, { link: linkTo('/docs/decisions#by-an-address-alone') })}</p>
      <Table
        caption={t(m.overview_doubtful_credits)}
        head={[
          t(m.partner),
          { number: t(m.overview_by_late_leads) },
          { number: t(m.overview_by_unverified_address) },
        ]}
      >
        {rows.map(({ partnerId, slug, name, lateLeads, byAddress }) => (
          <tr>
            <LinkCell href={`${base}/partners/${partnerId}`}>{name ?? slug}</LinkCell>
            <td class="number">{figure(lateLeads)}</td>
            <td class="number">{figure(byAddress)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )

/** /app/:workspace/checks: each check with its findings, and the pages that resolve them. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/checks', async (c) => {
  const { db, now, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}`
  const facts = await readCheckedFacts(db, workspace.id, now)
  const found = Object.groupBy(findingsOf(facts, now), ({ check }) => check)
  const checks = CHECKS.toSorted((a, b) => Number(b in found) - Number(a in found))
  const children = (
    <>
      <h1>{t(m.checks_title)}</h1>
      <p>{t(m.checks_intro, { link: linkTo('/docs/stripe#reconciling') })}</p>
      <Table caption={t(m.checks_title)} head={[t(m.checks_check), t(m.checks_found)]} isStacked>
        {checks.map((check) => (
          <Row {...{ check, findings: found[check] ?? [], workspace, base }} />
        ))}
      </Table>
      <Doubtful rows={facts.doubtfulCredits} base={base} />
    </>
  )
  return renderSection(c, '', m.checks_title, children)
})
