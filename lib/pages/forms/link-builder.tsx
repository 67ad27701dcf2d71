/**
 * Builds a partner's links to any page of the merchant's site, for the portal and the partner's
 * page.
 */
import type { ErrorDetail } from '../../http/errors.ts'
import type { Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { MAX_PAGE_LENGTH, type PageRefusal, pageLink } from '../../values/page-links.ts'
import { MAX_SUB_LENGTH, readSub } from '../../values/slugs.ts'
import { Copyable } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { QrCode } from '../parts/qr-code.tsx'
import { hidden } from '../parts/tags.tsx'
import { Field, IDENTIFIER, Select } from './fields.tsx'

/** The entered page, with the link or the errors. */
export type BuiltLink = {
  page: string
  slug: string
  sub: string
  link?: string
  errors?: ErrorDetail[]
}

const REFUSALS: Record<PageRefusal, (t: Translate, site: URL) => string> = {
  no_page: (t, { origin }) => t(m.no_page, { example: `${origin}/pricing` }),
  other_host: (t, { host }) => t(m.other_host, { host }),
  other_protocol: (t, { protocol }) => t(m.other_protocol, { protocol }),
  too_long: (t) => t(m.page_too_long, { max: MAX_PAGE_LENGTH }),
}

/**
 * The link that a URL requests by `page`, `link` (a slug) and `sub`.
 *
 * @param slugs the partner's, the main one first
 * @returns undefined if it requests none
 */
export const buildLink = (
  query: Record<string, string>,
  { siteUrl, slugs }: { siteUrl: string; slugs: string[] },
  t: Translate,
): BuiltLink | undefined => {
  const { page = '', link: chosen = '', sub: typed = '' } = query
  if (page.trim() === '') return undefined
  const slug = slugs.find((one) => one === chosen) ?? slugs[0] ?? ''
  const sub = readSub(typed) ?? ''
  if (sub === '' && typed.trim() !== '')
    return { page, slug, sub: typed, errors: [{ path: 'sub', message: t(m.no_channel) }] }
  const { link, refusal } = pageLink(siteUrl, page, slug, sub)
  if (!refusal) return { page, slug, sub, link }
  return {
    page,
    slug,
    sub,
    errors: [{ path: 'page', message: REFUSALS[refusal](t, new URL(siteUrl)) }],
  }
}

type Props = {
  /** The path of the page with the form, which shows the link. */
  path: string
  siteUrl: string
  slugs: string[]
  built: BuiltLink | undefined
  /** The program in the page's URL. */
  program?: string
}

/** The form, and the link that it last built, with its QR code. */
export const LinkBuilder = ({ path, siteUrl, slugs, built, program }: Props) => (
  <>
    <form class="inline" method="get" action={`${path}#link-builder`}>
      {program && <input type="hidden" name="program" value={program} />}
      <Field
        label={t(m.page_field)}
        name="page"
        hint={t(m.page_hint, { host: new URL(siteUrl).host })}
        required
        maxlength={MAX_PAGE_LENGTH}
        inputmode="url"
        {...IDENTIFIER}
        value={built?.page}
        errors={built?.errors}
      />
      {slugs.length > 1 && (
        <Select
          label={t(m.link)}
          name="link"
          value={built?.slug}
          options={slugs.map((slug) => ({ value: slug, label: slug }))}
        />
      )}
      <Field
        label={t(m.channel)}
        name="sub"
        hint={t(m.channel_hint)}
        maxlength={MAX_SUB_LENGTH}
        {...IDENTIFIER}
        value={built?.sub}
        errors={built?.errors}
      />
      <button type="submit">{t(m.make_link)}</button>
    </form>
    {built?.link && (
      <div role="status">
        <Copyable label={t(m.copy_page_link, { hidden })} text={built.link} />
        <QrCode link={built.link} slug={built.slug} />
      </div>
    )}
  </>
)
