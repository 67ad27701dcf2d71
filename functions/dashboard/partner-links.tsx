/** The links on a partner's page. */
import { Field } from '../../lib/pages/fields.tsx'
import { type BuiltLink, LinkBuilder } from '../../lib/pages/link-builder.tsx'
import { Copyable, Table } from '../../lib/pages/parts.tsx'
import { MAX_SLUG_LENGTH, partnerLink } from '../../lib/slugs.ts'
import type { Link } from '../../lib/workspace/links.queries.ts'
import type { PartnerRow } from '../../lib/workspace/partners.queries.ts'
import type { Refused } from './partner-forms.tsx'

type Props = {
  path: string
  links: Link[]
  isManager: boolean
  refused: Refused | undefined
  built: BuiltLink | undefined
}

/** All links of the partner, and what managers do with them. */
export const PartnerLinks = ({
  path,
  partner,
  links,
  isManager,
  refused,
  built,
}: Props & { partner: PartnerRow }) => {
  const further = links.filter(({ isMain }) => !isMain)
  return (
    <section>
      <h2 id="links">{further.length > 0 ? 'Links' : 'Link'}</h2>
      {partner.status === 'banned' && <p>The partner is banned, so its links do not work.</p>}
      <Copyable label="the partner’s link" text={partnerLink(partner.siteUrl, partner.slug)} />
      {further.length > 0 && (
        <>
          <p>
            These links are the partner’s too. A visit through one of them counts like one through the main
            link.
          </p>
          <FurtherLinks path={path} links={further} isManager={isManager} />
        </>
      )}
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
      <LinkBuilder
        path={path}
        siteUrl={partner.siteUrl}
        slugs={links.map(({ slug }) => slug)}
        built={built}
      />
    </section>
  )
}

const FurtherLinks = ({ path, links, isManager }: Omit<Props, 'refused' | 'built'>) => (
  <Table caption="Further links" head={['Link', ...(isManager ? ['Action'] : [])]}>
    {links.map(({ slug, siteUrl }) => (
      <tr>
        <td>
          <code>{partnerLink(siteUrl, slug)}</code>
        </td>
        {isManager && (
          <td>
            <SlugForm action={`${path}/links/main`} slug={slug} label="Make main" />{' '}
            <a href={`${path}/links/release?slug=${encodeURIComponent(slug)}`}>
              Release<span class="hidden"> {slug}</span>
            </a>
          </td>
        )}
      </tr>
    ))}
  </Table>
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
