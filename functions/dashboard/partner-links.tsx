/** The links on a partner's page. */

import { Field } from '../../lib/pages/fields.tsx'
import { type BuiltLink, LinkBuilder } from '../../lib/pages/link-builder.tsx'
import { figure } from '../../lib/pages/money.tsx'
import { Copyable, Table } from '../../lib/pages/parts.tsx'
import { SubTable } from '../../lib/pages/sub-table.tsx'
import { MAX_SLUG_LENGTH, partnerLink } from '../../lib/slugs.ts'
import type { StatsRow } from '../../lib/totals/stats.queries.ts'
import type { Link, LinkCounts } from '../../lib/workspace/links.queries.ts'
import type { PartnerRow } from '../../lib/workspace/partners.queries.ts'
import type { Refused } from './partner-forms.tsx'

type Props = {
  path: string
  links: (Link & LinkCounts)[]
  isManager: boolean
  refused: Refused | undefined
  built: BuiltLink | undefined
  subs: StatsRow[]
}

/** All links of the partner, and what managers do with them. */
export const PartnerLinks = ({
  path,
  partner,
  links,
  isManager,
  refused,
  built,
  subs,
}: Props & { partner: PartnerRow }) => (
  <section>
    <h2 id="links">Links</h2>
    {partner.status === 'banned' && <p>The partner is banned, so its links do not work.</p>}
    <LinkTable path={path} links={links} isManager={isManager} />
    <p class="hint">Sales are those that are credited by a click on the link.</p>
    {isManager && (
      <form class="inline" method="post" action={`${path}/links`}>
        <Field
          label="Slug of another link"
          name="slug"
          hint="The value of ?via= in the link."
          required
          maxlength={MAX_SLUG_LENGTH}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          value={refused?.fields.slug}
          errors={refused?.errors}
        />
        <button type="submit">Add link</button>
      </form>
    )}
    <h3 id="link-builder">Link to a page</h3>
    <LinkBuilder path={path} siteUrl={partner.siteUrl} slugs={links.map(({ slug }) => slug)} built={built} />
    <SubTable rows={subs} />
  </section>
)

const LinkTable = ({ path, links, isManager }: Pick<Props, 'path' | 'links' | 'isManager'>) => (
  <Table
    caption="Links"
    head={['Link', { number: 'Clicks' }, { number: 'Sales' }, ...(isManager ? ['Action'] : [])]}
    isStacked
  >
    {links.map(({ slug, siteUrl, isMain, clicks, sales }) => (
      <tr>
        <td class="link">
          <Copyable label={`the link with ${slug}`} text={partnerLink(siteUrl, slug)} />
        </td>
        <td class="number">{figure(clicks)}</td>
        <td class="number">{figure(sales)}</td>
        {isManager && <td>{isMain ? 'Main link' : <FurtherLinkActions path={path} slug={slug} />}</td>}
      </tr>
    ))}
  </Table>
)

const FurtherLinkActions = ({ path, slug }: { path: string; slug: string }) => (
  <>
    <SlugForm action={`${path}/links/main`} slug={slug} label="Make main" />{' '}
    <a href={`${path}/links/release?slug=${encodeURIComponent(slug)}`}>
      Release<span class="hidden"> {slug}</span>
    </a>
  </>
)

const SlugForm = ({ action, slug, label }: { action: string; slug: string; label: string }) => (
  <form method="post" action={action}>
    <input type="hidden" name="slug" value={slug} />
    <button type="submit" class="link">
      {label}
      <span class="hidden"> {slug}</span>
    </button>
  </form>
)

/** Asks before a link is released. */
export const ReleaseLinkPage = ({
  path,
  partner,
  slug,
}: {
  path: string
  partner: PartnerRow
  slug: string
}) => (
  <>
    <h1>Release this link?</h1>
    <p>
      <code>{partnerLink(partner.siteUrl, slug)}</code>
    </p>
    <p>
      New visits through it are no longer recorded for {partner.name ?? partner.email}, and you can give its
      slug to another partner. Visits until now still count.
    </p>
    <form method="post" action={`${path}/links/release`}>
      <input type="hidden" name="slug" value={slug} />
      <button type="submit" class="danger">
        Release link
      </button>{' '}
      <a href={path}>Cancel</a>
    </form>
  </>
)
