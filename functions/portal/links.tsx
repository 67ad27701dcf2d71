import type { Context } from 'hono'
import type { SessionEnv } from '../../lib/auth/session.ts'
import { contactValues } from '../../lib/brand/brand.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { checked, form } from '../../lib/http/validate.ts'
import type { Message, Translate } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import { Field, IDENTIFIER } from '../../lib/pages/forms/fields.tsx'
import { type BuiltLink, buildLink, LinkBuilder } from '../../lib/pages/forms/link-builder.tsx'
import { accentClass, Logo, Support } from '../../lib/pages/layout/brand.tsx'
import { Copyable, Done, noticeFor, Problem } from '../../lib/pages/layout/parts.tsx'
import {
  NoPrograms,
  NotActive,
  ProgramFilter,
  renderPortal,
} from '../../lib/pages/layout/portal.tsx'
import { noSuchPage } from '../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../lib/pages/layout/text.ts'
import { figure } from '../../lib/pages/parts/money.tsx'
import { hidden } from '../../lib/pages/parts/tags.tsx'
import { SubTable } from '../../lib/pages/tables/sub-table.tsx'
import { Table } from '../../lib/pages/tables/table.tsx'
import {
  addOwnLink,
  MAX_OWN_LINKS,
  type SlugRefusal,
} from '../../lib/partners/links/links.queries.ts'
import { OwnLink } from '../../lib/partners/lists/partners.schemas.ts'
import { type OwnLinks, readOwnLinks } from '../../lib/portal/links.queries.ts'
import { subsOfPartnerQuery } from '../../lib/totals/landing-stats.queries.ts'
import type { StatsRow } from '../../lib/totals/stats.queries.ts'
import { MAX_SLUG_LENGTH, makeSlug, partnerLink } from '../../lib/values/slugs.ts'

const PATH = '/portal/links'

const DONE = {
  link_added: m.link_added,
  link_already_added: m.link_exists,
}

const slugsOf = ({ links }: OwnLinks): string[] => links.map(({ slug }) => slug)

/** A rejected form: its field and the errors. */
type Refused = { slug: string | undefined; errors: ErrorDetail[] }

type LinksProps = {
  of: OwnLinks
  subs: StatsRow[]
  built: BuiltLink | undefined
  refused: Refused | undefined
}

/** The links of one program, and the forms that add links. */
const Links = ({ of, built, refused, subs }: LinksProps) => (
  <>
    <Logo logoUrl={of.logoUrl} name={of.program} />
    <h2>
      <bdi>{of.program}</bdi>
    </h2>
    {of.status === 'banned' && <NotActive contact={of.contact} />}
    <Table
      caption={t(m.your_links)}
      head={[t(m.link), { number: t(m.clicks) }, { number: t(m.sales) }]}
      isStacked
    >
      {of.links.map(({ slug, clicks, sales }) => (
        <tr>
          <td class="link">
            {of.status === 'banned' ? (
              <code>{slug}</code>
            ) : (
              <Copyable
                label={t(m.copy_link_with, { slug, hidden })}
                text={partnerLink(of.siteUrl, slug)}
              />
            )}
          </td>
          <td class="number">{figure(clicks)}</td>
          <td class="number">{figure(sales)}</td>
        </tr>
      ))}
    </Table>
    <p class="hint">{t(m.sales_by_click)}</p>
    {of.status === 'approved' && (
      <>
        <h2 id="link-builder">{t(m.link_to_page)}</h2>
        <LinkBuilder
          path={PATH}
          siteUrl={of.siteUrl}
          slugs={slugsOf(of)}
          built={built}
          program={of.programId}
        />
      </>
    )}
    <SubTable rows={subs} />
    {of.status === 'approved' && <AnotherLink of={of} refused={refused} />}
    <Support supportEmail={of.supportEmail} />
  </>
)

/** The form that adds a link with a chosen slug. */
const AnotherLink = ({ of, refused }: { of: OwnLinks; refused: Refused | undefined }) => (
  <>
    <h2>{t(m.another_link)}</h2>
    <p>{t(m.another_link_hint, { max: String(MAX_OWN_LINKS) })}</p>
    {of.links.length < MAX_OWN_LINKS || refused ? (
      <form class="inline" method="post" action={PATH}>
        <input type="hidden" name="program" value={of.programId} />
        <Field
          label={t(m.slug)}
          name="slug"
          hint={t(m.slug_hint, { example: `${makeSlug(of.links[0]?.slug ?? '', '')}-newsletter` })}
          required
          maxlength={MAX_SLUG_LENGTH}
          {...IDENTIFIER}
          value={refused?.slug}
          errors={refused?.errors}
        />
        <button type="submit">{t(m.add_link)}</button>
      </form>
    ) : (
      <p class="empty">{tooMany(of, t)}</p>
    )}
  </>
)

const tooMany = ({ contact }: OwnLinks, t: Translate): string =>
  t(m.too_many_links, { max: String(MAX_OWN_LINKS), ...contactValues(contact) })

type Refusal = SlugRefusal | { outcome: 'inactive' }

const refusalWords = (refusal: Refusal, of: OwnLinks, slug: string, t: Translate): string => {
  switch (refusal.outcome) {
    case 'slug_taken':
      return t(m.slug_taken, { slug, suggestion: refusal.suggestion })
    case 'too_many_links':
      return tooMany(of, t)
    default:
      return t(m.links_inactive, contactValues(of.contact))
  }
}

/**
 * The links of all programs, and the named program, by default the first.
 * @throws {ApiError} `not_found`
 */
const readLinks = async (c: Context<SessionEnv>, program: string | undefined) => {
  const all = await readOwnLinks(c.var.db, c.var.user.email)
  const of = program ? all.find(({ programId }) => programId === program) : all[0]
  if (program && !of) throw noSuchPage()
  const subs = of
    ? await subsOfPartnerQuery(of.workspaceId, of.partnerId, c.var.now).execute(c.var.db)
    : null
  return { all, of, subs: subs?.rows ?? [] }
}

type Shown = Awaited<ReturnType<typeof readLinks>> & {
  built?: BuiltLink | undefined
  refused?: Refused
  done?: Message | undefined
}

const showLinks = (
  c: Context<SessionEnv>,
  { all, of, subs, built, refused, done }: Shown,
  status: 200 | 400 | 409 = 200,
) => {
  const t = textsOf(c)
  const children = (
    <>
      <h1>{t(m.nav_links)}</h1>
      <Done message={done} />
      <Problem errors={refused?.errors} />
      <ProgramFilter
        programs={all.map(({ programId, program: name }) => ({ id: programId, name }))}
        selected={of?.programId}
        path={PATH}
        hasAll={false}
      />
      {of ? (
        <Links of={of} subs={subs} built={built} refused={refused} />
      ) : (
        <NoPrograms email={c.var.user.email} />
      )}
    </>
  )
  const branding = of && { brands: [of], mainClass: accentClass(of) }
  return renderPortal(c, { title: m.nav_links, at: PATH, ...branding, children }, status)
}

/** /portal/links: a partner's links, and the forms that add links. */
export default createRoutes<SessionEnv>()
  .get(PATH, async (c) => {
    const { program, done, ...query } = c.req.query()
    const links = await readLinks(c, program)
    const built =
      links.of &&
      buildLink(query, { siteUrl: links.of.siteUrl, slugs: slugsOf(links.of) }, textsOf(c))
    return showLinks(c, { ...links, built, done: noticeFor(DONE, done) }, built?.errors ? 400 : 200)
  })
  .post(PATH, form(), async (c) => {
    const { db, now, user } = c.var
    const { program, slug } = c.req.valid('form')
    const links = await readLinks(c, program)
    const { of } = links
    if (!of) throw noSuchPage()
    const { data, errors } = checked(OwnLink, { slug: slug ?? '' })
    if (errors) return showLinks(c, { ...links, refused: { slug, errors } }, 400)
    const act = { workspaceId: of.workspaceId, actor: user.email, now }
    const added = await addOwnLink(db, act, of.partnerId, data.slug)
    if (!added) throw noSuchPage()
    if ('link' in added)
      return c.redirect(`${PATH}?program=${of.programId}&done=link_${added.outcome}`, 303)
    const refused = {
      slug,
      errors: [{ path: 'slug', message: refusalWords(added, of, data.slug, textsOf(c)) }],
    }
    return showLinks(c, { ...links, refused }, 409)
  })
