import { inject } from 'vitest'
import type { Merchant } from './merchant.ts'
import { fromSomewhere, submit } from './people.ts'

/**
 * A page as a browser without JavaScript gets it. Redirects are not followed. `text` is the visible
 * text below the header.
 */
type Shown = {
  status: number
  location: string | null
  html: string
  text: string
  headers: Headers
}

const shown = async (answer: Response): Promise<Shown> => {
  const html = await answer.text()
  return {
    status: answer.status,
    location: answer.headers.get('Location'),
    html,
    text: textOf(html),
    headers: answer.headers,
  }
}

const textOf = (html: string): string =>
  decode(
    html.replace(/<(head|nav|header|footer)[^>]*>.*?<\/\1>/gs, '').replace(/<[^>]+>/g, ' '),
  ).replace(/\s+/g, ' ')

/** Pages of /app, or of another part of the site, as the holder of a cookie sees them. */
export const browse = (cookie: string | null, baseUrl = inject('baseUrl'), part = '/app') => {
  const own = { ...fromSomewhere(), ...(cookie && { Cookie: cookie }) }
  return {
    get: async (path: string) =>
      shown(await fetch(`${baseUrl}${part}${path}`, { headers: own, redirect: 'manual' })),
    post: async (
      path: string,
      fields: Record<string, string>,
      headers: Record<string, string> = {},
    ) =>
      shown(
        await submit(`${baseUrl}${part}${path}`, fields, { Origin: baseUrl, ...own, ...headers }),
      ),
  }
}

/** The pages of a merchant's workspace, as a manager, member or stranger sees them. */
export const openPages = async (
  merchant: Merchant,
  as: 'manager' | 'member' | 'stranger' = 'manager',
) => {
  const { get, post } = browse(await merchant[as]())
  const base = `/${merchant.workspace.slug}`
  return {
    get: (path: string) => get(base + path),
    post: (path: string, fields: Record<string, string>, headers?: Record<string, string>) =>
      post(base + path, fields, headers),
  }
}

/** The unchanged fields of the last form of a page's content, as a browser would submit them. */
export const fieldsOf = (html: string): Record<string, string> => {
  const [content = ''] = html.split('<footer')
  return fieldsIn(content.slice(content.lastIndexOf('<form')))
}

/**
 * The forms of a page that change something, and where they are sent; to the page's own URL if the
 * action is blank.
 */
export const formsOf = (html: string): { action: string; fields: Record<string, string> }[] =>
  [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(
    ([, attributes = '', content = '']) =>
      /method="post"/i.test(attributes)
        ? [
            {
              action: decode(/action="([^"]*)"/.exec(attributes)?.[1] ?? ''),
              fields: fieldsIn(content),
            },
          ]
        : [],
  )

const fieldsIn = (form: string): Record<string, string> => {
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].flatMap(([input]) => {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1]
    const name = attribute('name')
    if (!name) return []
    if (attribute('type') === 'checkbox')
      return /\bchecked\b/.test(input) ? [[name, decode(attribute('value') ?? 'on')]] : []
    return [[name, decode(attribute('value') ?? '')]]
  })
  const selects = [...form.matchAll(/<select\b[^>]*\bname="([^"]*)"[^>]*>(.*?)<\/select>/gs)].map(
    ([, name, options = '']) => [
      name,
      /<option value="([^"]*)" selected/.exec(options)?.[1] ??
        /<option value="([^"]*)"/.exec(options)?.[1],
    ],
  )
  return Object.fromEntries([...inputs, ...selects])
}

const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

const decode = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
