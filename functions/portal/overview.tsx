import type { ApplicationStatus } from '../../lib/applications/applications.ts'
import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { LOCALES } from '../../lib/languages/languages.ts'
import type { Message } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import { CONNECT_NOTICES } from '../../lib/pages/layout/connect.tsx'
import { Done, noticeFor } from '../../lib/pages/layout/parts.tsx'
import { Day, NoPrograms, ProgramName, renderPortal } from '../../lib/pages/layout/portal.tsx'
import { readerFor, t, textsOf } from '../../lib/pages/layout/text.ts'
import { linkTo } from '../../lib/pages/parts/tags.tsx'
import { Table } from '../../lib/pages/tables/table.tsx'
import { type PortalData, readPortal } from '../../lib/portal/portal.queries.ts'
import { periodOf, readPeriodDays } from '../../lib/values/periods.ts'
import { Program } from './program.tsx'

const DONE = { accepted: m.terms_accepted }

const APPLICATION_WORDS: Record<ApplicationStatus, Message> = {
  invited: m.application_invited,
  applied: m.application_applied,
  approved: m.application_approved,
  rejected: m.application_rejected,
}

/** The programs that the person has applied to, without being a partner. */
const Applications = ({ applications }: Pick<PortalData, 'applications'>) =>
  applications.length > 0 && (
    <section>
      <h2>{t(m.your_applications)}</h2>
      <Table
        caption={t(m.your_applications)}
        head={[t(m.program), t(m.applied_column), t(m.status)]}
      >
        {applications.map(({ programId, programName, appliedAt, status, isBlocked }) => (
          <tr>
            <ProgramName name={programName} />
            <td>{appliedAt && <Day at={appliedAt} />}</td>
            <td>
              {status === 'applied' || isBlocked
                ? t(APPLICATION_WORDS[status])
                : t(status === 'invited' ? m.accept_invitation : m.apply_again, {
                    link: linkTo(`/join/${programId}/apply`),
                  })}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )

/** GET /portal: a partner's links, coupon codes, balances and activity in each program. */
export default createRoutes<SessionEnv>().get('/portal', async (c) => {
  const { db, now, user } = c.var
  const period = periodOf(readPeriodDays(c.req.query('days')), now)
  const data = await readPortal(db, user.email, period, now, readerFor(c).language)
  const { partnerships } = data
  const t = textsOf(c)
  const notices = [
    noticeFor(CONNECT_NOTICES, c.req.query('connect')),
    noticeFor(DONE, c.req.query('done')),
  ]
  const and = new Intl.ListFormat(LOCALES[readerFor(c).language], { type: 'conjunction' })
  const children = (
    <>
      <h1>{t(m.your_programs)}</h1>
      {notices.map((notice) => (
        <Done message={notice && t(notice)} />
      ))}
      {data.agreements.length > 0 && (
        <p class="notice">
          {t(m.new_terms, {
            programs: and.format(data.agreements.map(({ programName }) => programName)),
            link: linkTo('/portal/terms'),
          })}
        </p>
      )}
      {partnerships.map((partnership, index) => (
        <Program
          partnership={partnership}
          data={data}
          period={period}
          now={now}
          isFirstOfWorkspace={partnerships[index - 1]?.workspaceId !== partnership.workspaceId}
        />
      ))}
      <Applications
        applications={data.applications.filter(({ status }) => status !== 'approved')}
      />
      {partnerships.length > 0 && (
        <p class="hint">
          {t(m.signed_in_as, { email: user.email, link: linkTo('/portal/address') })}
        </p>
      )}
      {partnerships.length === 0 && data.applications.length === 0 && (
        <NoPrograms email={user.email} />
      )}
    </>
  )
  return renderPortal(c, { title: m.portal_title, brands: partnerships, children })
})
