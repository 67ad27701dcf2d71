import type { Context } from 'hono'
import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { type BuiltLink, buildLink, LinkBuilder } from '../../lib/pages/link-builder.tsx'
import { Copyable } from '../../lib/pages/parts.tsx'
import { ProgramFilter, renderPortal } from '../../lib/pages/portal.tsx'
import { noSuchPage } from '../../lib/pages/render.tsx'
import { type OwnLinks, readOwnLinks } from '../../lib/portal/links.queries.ts'
import { partnerLink } from '../../lib/slugs.ts'

const PATH = '/portal/links'
const TITLE = 'Links'

/** The links of one program, and the form that makes one to another page. */
const Links = ({ of, built }: { of: OwnLinks; built: BuiltLink | undefined }) => (
  <>
    <h2>
      <bdi>{of.program}</bdi>
    </h2>
    {of.status === 'banned' && (
      <p class="problem">You are no longer active in this program, and your links do not work.</p>
    )}
    {of.slugs.map((slug) => (
      <Copyable label={`the link of ${slug}`} text={partnerLink(of.siteUrl, slug)} />
    ))}
    <h2 id="link-builder">Link to a page</h2>
    <LinkBuilder path={PATH} siteUrl={of.siteUrl} slugs={of.slugs} built={built} program={of.programId} />
  </>
)

/** Shows the links of the program that the URL names, or of the first one. @throws {ApiError} `not_found` */
const showLinks = async (c: Context<SessionEnv>) => {
  const { db, user } = c.var
  const { program, ...query } = c.req.query()
  const all = await readOwnLinks(db, user.email)
  const of = program ? all.find(({ programId }) => programId === program) : all[0]
  if (program && !of) throw noSuchPage()
  const built = of && buildLink(query, of)
  const children = (
    <>
      <h1>{TITLE}</h1>
      <ProgramFilter
        programs={all.map(({ programId, program: name }) => ({ id: programId, name }))}
        selected={of?.programId}
        path={PATH}
        hasAll={false}
      />
      {of ? (
        <Links of={of} built={built} />
      ) : (
        <p class="empty">{user.email} is not a partner of any program.</p>
      )}
    </>
  )
  return renderPortal(c, { title: TITLE, at: PATH, children }, built?.errors ? 400 : 200)
}

/** /portal/links: a partner's links, and what makes more of them. */
export default createRoutes<SessionEnv>().get(PATH, showLinks)
