/** The page of checks: what is looked at to find lost, doubled and wrong sales. */

import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import * as m from '../../../lib/languages/messages.ts'
import { readCheckedFacts } from '../../../lib/overview/findings.queries.ts'
import { Table } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import {
  CHECKS,
  type Check,
  type Finding,
  findingsOf,
} from '../../../lib/tracking/checks/findings.ts'
import { DoubtfulCredits } from './doubtful-credits.tsx'
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

/** /app/:workspace/checks: each check, what it has found, and where to go on. */
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
      <DoubtfulCredits rows={facts.doubtfulCredits} base={base} />
    </>
  )
  return renderPage(c, { title: m.checks_title, section: '', children })
})
