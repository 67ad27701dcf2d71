/** What the merchant's site needs for the links of a file to keep working, and sample links. */
import type { FormOfLinks } from '../../../lib/imports/partners/former-links.ts'
import { linkWith, slugKey } from '../../../lib/values/slugs.ts'
import type { Outcomes } from './outcomes.ts'
import type { FilePartner } from './reading/records.ts'

/** The parameter that the snippet reads by default. */
const READ_ALWAYS = 'via'

/**
 * @property parameters the parameters that the tag has to name, most frequent first
 * @property paths how many links have the slug in their path, which the snippet does not read
 * @property encoded how many links have the slug encoded
 */
export type LinkForms = { parameters: string[]; paths: number; encoded: number }

/** The forms of links in the responses of a dry run, most frequent first. */
export const linkFormsOf = (answers: { linkForms?: FormOfLinks[] }[]): FormOfLinks[] => {
  const forms = new Map<string, FormOfLinks>()
  for (const found of answers.flatMap(({ linkForms = [] }) => linkForms)) {
    const known = forms.get(found.form)
    forms.set(found.form, { ...found, links: found.links + (known?.links ?? 0) })
  }
  return [...forms.values()].sort((a, b) => b.links - a.links)
}

export const linkForms = (partners: FilePartner[]): LinkForms => {
  const counts = new Map<string, number>()
  for (const { link } of partners) {
    if (link?.place?.in === 'parameter')
      counts.set(link.place.name, (counts.get(link.place.name) ?? 0) + 1)
  }
  counts.delete(READ_ALWAYS)
  const inPlace = (place: 'path' | 'encoded') =>
    partners.filter(({ link }) => link?.place?.in === place).length
  return {
    parameters: [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name),
    paths: inPlace('path'),
    encoded: inPlace('encoded'),
  }
}

/** The merchant's tag, which also reads these parameters. */
export const tagWith = (tag: string, parameters: string[]): string =>
  parameters.length > 0
    ? tag.replace('></script>', ` data-params="${encodeURI(parameters.join(','))}"></script>`)
    : tag

/** A partner's link to try, and whether the import created the partner. */
export type Sample = { email: string; slug: string; url: string; isNew: boolean }

/** Nobody would try more links. */
const SAMPLES = 3

/**
 * Links of partners who keep the file's slug, one of each form first. A slug without a link gets a
 * link to the program's site.
 */
export const sampleLinks = ({ partners }: Outcomes, siteUrl: string): Sample[] => {
  const kept = partners.filter(
    ({ row, result }) => result?.slug && row.slug && slugKey(row.slug) === slugKey(result.slug),
  )
  const formOf = ({ link }: FilePartner) => JSON.stringify(link?.place ?? null)
  const ofEachForm = [...Map.groupBy(kept, ({ row }) => formOf(row)).values()].flatMap(
    ([first]) => first ?? [],
  )
  const samples = [...new Set([...ofEachForm, ...kept])].slice(0, SAMPLES)
  return samples.map(({ row, result }) => ({
    email: row.email,
    slug: result?.slug ?? '',
    isNew: result?.status === 'created',
    url: row.link?.url ?? linkWith(new URL(siteUrl), row.slug ?? ''),
  }))
}
