import type { Merchant } from './merchant.ts'
import { openPages, fieldsOf as otherFieldsOf } from './pages.ts'

/** The fields of the form, texts of several lines included. */
const fieldsOf = (html: string): Record<string, string> => ({
  ...otherFieldsOf(html),
  ...Object.fromEntries(
    [...html.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>(.*?)<\/textarea>/gs)].map(
      ([, name = '', value = '']) => [name, value.trim()],
    ),
  ),
})

/** The page of a reward, whose buttons are pressed one after the other. */
export const openReward = async (
  merchant: Merchant,
  owner = `/programs/${merchant.programId}`,
  name = 'reward',
) => {
  const pages = await openPages(merchant)
  const path = `${owner}/${name}`
  let page = await pages.get(path)
  const send = async (to: string, fields: Record<string, string>) => {
    page = await pages.post(`${path}${to}`, { ...fieldsOf(page.html), ...fields })
    return page
  }
  return {
    pages,
    path,
    shown: () => page,
    fields: () => fieldsOf(page.html),
    press: (pressed: string, fields = {}) => send('/edit', { ...fields, do: pressed }),
    compare: (fields = {}) => send('/what-if', fields),
    save: (fields = {}) => send('', fields),
  }
}
