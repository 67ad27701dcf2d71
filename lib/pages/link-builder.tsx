/** Makes a partner's links to any page of the merchant's site, in the portal and on the partner's page. */
import type { ErrorDetail } from '../http/errors.ts'
import { MAX_PAGE_LENGTH, type PageRefusal, pageLink } from '../page-links.ts'
import { MAX_SUB_LENGTH, readSub } from '../slugs.ts'
import { Field, Select } from './fields.tsx'
import { Copyable } from './parts.tsx'
import { QrCode } from './qr-code.tsx'

/** A link that was asked for, and what came of it. */
export type BuiltLink = { page: string; slug: string; sub: string; link?: string; errors?: ErrorDetail[] }

const REFUSALS: Record<PageRefusal, (site: URL) => string> = {
  no_page: ({ origin }) => `Enter the address of a page, such as ${origin}/pricing.`,
  other_host: ({ host }) => `This page is not on ${host}. Enter a page of that site.`,
  other_protocol: ({ protocol }) => `Enter an address that starts with ${protocol}//, as the site does.`,
  too_long: () => `Enter an address of at most ${MAX_PAGE_LENGTH.toLocaleString('en')} characters.`,
}

const NO_SUB = 'Enter a name such as newsletter-12. Email addresses are not counted.'

/**
 * The link that a URL asks for by `page`, `link`, a slug, and `sub`.
 *
 * @param slugs the partner's, the main one first
 * @returns undefined if it asks for none
 */
export const buildLink = (
  query: Record<string, string>,
  { siteUrl, slugs }: { siteUrl: string; slugs: string[] },
): BuiltLink | undefined => {
  const { page = '', link: chosen = '', sub: typed = '' } = query
  if (page.trim() === '') return undefined
  const slug = slugs.find((one) => one === chosen) ?? slugs[0] ?? ''
  const sub = readSub(typed) ?? ''
  if (sub === '' && typed.trim() !== '')
    return { page, slug, sub: typed, errors: [{ path: 'sub', message: NO_SUB }] }
  const { link, refusal } = pageLink(siteUrl, page, slug, sub)
  if (!refusal) return { page, slug, sub, link }
  return { page, slug, sub, errors: [{ path: 'page', message: REFUSALS[refusal](new URL(siteUrl)) }] }
}

type Props = {
  /** The page that the form is on. It shows the link. */
  path: string
  siteUrl: string
  slugs: string[]
  built: BuiltLink | undefined
  /** What else the page's URL has. */
  program?: string
}

/** A form, and the link that it was last sent for, with its QR code. */
export const LinkBuilder = ({ path, siteUrl, slugs, built, program }: Props) => (
  <>
    <form class="inline" method="get" action={`${path}#link-builder`}>
      {program && <input type="hidden" name="program" value={program} />}
      <Field
        label="Page"
        name="page"
        hint={`Any page of ${new URL(siteUrl).host}.`}
        required
        maxlength={MAX_PAGE_LENGTH}
        inputmode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        value={built?.page}
        errors={built?.errors}
      />
      {slugs.length > 1 && (
        <Select
          label="Link"
          name="link"
          value={built?.slug}
          options={slugs.map((slug) => ({ value: slug, label: slug }))}
        />
      )}
      <Field
        label="Channel"
        name="sub"
        hint="Optional, such as newsletter-12. What it brings is counted apart."
        maxlength={MAX_SUB_LENGTH}
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        value={built?.sub}
        errors={built?.errors}
      />
      <button type="submit">Make link</button>
    </form>
    {built?.link && (
      <div role="status">
        <Copyable label="the link to this page" text={built.link} />
        <QrCode link={built.link} slug={built.slug} />
      </div>
    )}
  </>
)
