import type { Context } from 'hono'
import * as z from 'zod'
import {
  acceptAgreement,
  type OpenAgreement,
  openAgreementsQuery,
} from '../../../lib/applications/join-pages.queries.ts'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Terms } from '../../../lib/pages/forms/terms.tsx'
import { accentClass, Logo, Support } from '../../../lib/pages/layout/brand.tsx'
import { Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderPortal } from '../../../lib/pages/layout/portal.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { hidden } from '../../../lib/pages/parts/tags.tsx'

const Acceptance = z.object({
  partnerId: z.uuid(),
  version: z.coerce.number().int().max(1_000_000),
})

const TermsPage = ({ open, problem }: { open: OpenAgreement[]; problem: string | undefined }) => (
  <>
    <h1>{t(m.terms)}</h1>
    <Problem message={problem} />
    {open.length === 0 && <p class="empty">{t(m.no_terms)}</p>}
    {open.map(({ partnerId, programName, logoUrl, accentColor, supportEmail, ...agreement }) => (
      <section class={accentClass({ accentColor })}>
        <Logo logoUrl={logoUrl} name={programName} />
        <h2>
          <bdi>{programName}</bdi>
        </h2>
        <form method="post">
          <Terms agreement={agreement} />
          <input type="hidden" name="partnerId" value={partnerId} />
          <input type="hidden" name="version" value={agreement.version} />
          <button type="submit">{t(m.accept_terms, { program: programName, hidden })}</button>
        </form>
        <Support supportEmail={supportEmail} />
      </section>
    ))}
  </>
)

const showTerms = async (c: Context<SessionEnv>, problem?: string) => {
  const { rows: open } = await openAgreementsQuery(c.var.user.email).execute(c.var.db)
  const children = <TermsPage open={open} problem={problem} />
  return renderPortal(c, { title: m.terms, brands: open, children }, problem ? 400 : 200)
}

/** /portal/terms: the programs whose newest terms the partner has not accepted. */
export default createRoutes<SessionEnv>()
  .get('/portal/terms', (c) => showTerms(c))
  .post('/portal/terms', form(), async (c) => {
    const { db, now, user } = c.var
    const { data } = checked(Acceptance, c.req.valid('form'))
    if (!data || !(await acceptAgreement(db, user.email, { ...data, now })))
      return showTerms(c, textsOf(c)(m.terms_changed))
    return c.redirect('/portal?done=accepted', 303)
  })
