import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Field, IDENTIFIER } from '../../../lib/pages/forms/fields.tsx'
import { type BuiltLink, LinkBuilder } from '../../../lib/pages/forms/link-builder.tsx'
import { Copyable } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { SubTable } from '../../../lib/pages/tables/sub-table.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import type { Link, LinkCounts } from '../../../lib/partners/links/links.queries.ts'
import type { PartnerRow } from '../../../lib/partners/lists/partners.queries.ts'
import type { StatsRow } from '../../../lib/totals/stats.queries.ts'
import { MAX_SLUG_LENGTH, partnerLink } from '../../../lib/values/slugs.ts'
import type { Refused } from './partner-forms.tsx'

type Props = {
  path: string
  links: (Link & LinkCounts)[]
  mayChange: boolean
  refused: Refused | undefined
  built: BuiltLink | undefined
  subs: StatsRow[]
}

/** All links of the partner, and what managers do with them. */
export const PartnerLinks = ({
  path,
  partner,
  links,
  mayChange,
  refused,
  built,
  subs,
}: Props & { partner: PartnerRow }) => (
  <section>
    <h2 id="links">{t(m.nav_links)}</h2>
    {partner.status === 'banned' && <p>{t(m.partners_banned_links_do)}</p>}
    <LinkTable path={path} links={links} mayChange={mayChange} />
    <p class="hint">{t(m.sales_by_click)}</p>
    {mayChange && (
      <form class="inline" method="post" action={`${path}/links`}>
        <Field
          label={t(m.partners_slug_another_link)}
          name="slug"
          hint={t(m.partners_value_via_link)}
          required
          maxlength={MAX_SLUG_LENGTH}
          {...IDENTIFIER}
          value={refused?.fields.slug}
          errors={refused?.errors}
        />
        <button type="submit">{t(m.add_link)}</button>
      </form>
    )}
    <h3 id="link-builder">{t(m.link_to_page)}</h3>
    <LinkBuilder
      path={path}
      siteUrl={partner.siteUrl}
      slugs={links.map(({ slug }) => slug)}
      built={built}
    />
    <SubTable rows={subs} />
  </section>
)

const LinkTable = ({ path, links, mayChange }: Pick<Props, 'path' | 'links' | 'mayChange'>) => (
  <Table
    caption={t(m.nav_links)}
    head={[
      t(m.link),
      { number: t(m.clicks) },
      { number: t(m.sales) },
      ...(mayChange ? [t(m.action_column)] : []),
    ]}
    isStacked
  >
    {links.map(({ slug, siteUrl, isMain, clicks, sales }) => (
      <tr>
        <td class="link">
          <Copyable
            label={t(m.partners_the_link_with, { slug })}
            text={partnerLink(siteUrl, slug)}
          />
        </td>
        <td class="number">{figure(clicks)}</td>
        <td class="number">{figure(sales)}</td>
        {mayChange && (
          <td>
            {isMain ? t(m.partners_main_link) : <FurtherLinkActions path={path} slug={slug} />}
          </td>
        )}
      </tr>
    ))}
  </Table>
)

const FurtherLinkActions = ({ path, slug }: { path: string; slug: string }) => (
  <>
    <SlugForm action={`${path}/links/main`} slug={slug} label={t(m.partners_make_main)} />{' '}
    <a href={`${path}/links/release?slug=${encodeURIComponent(slug)}`}>
      {t(m.partners_release, { slug, hidden })}
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

type ReleaseLinkPageProps = { path: string; partner: PartnerRow; slug: string }

export const ReleaseLinkPage = ({ path, partner, slug }: ReleaseLinkPageProps) => (
  <>
    <h1>{t(m.partners_release_this_link)}</h1>
    <p>
      <code>{partnerLink(partner.siteUrl, slug)}</code>
    </p>
    <p>{t(m.partners_release_effect, { partner: partner.name ?? partner.email })}</p>
    <form method="post" action={`${path}/links/release`}>
      <input type="hidden" name="slug" value={slug} />
      <DangerButton>{t(m.partners_release_link)}</DangerButton> <a href={path}>{t(m.cancel)}</a>
    </form>
  </>
)
