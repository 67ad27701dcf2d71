/**
 * Set-up of every test file: Node loads the Workers' modules, and `fetch` checks each response of
 * the API against the OpenAPI document.
 */
import { afterAll, expect } from 'vitest'
import type { CheckedFetch } from './contract.ts'
import './modules.ts'

/** Loaded with the first response: most unit tests get none. */
let contract: Promise<typeof import('./contract.ts')> | undefined

// Set-up files run again for each test file, also where files share a process.
const unchecked = (fetch as CheckedFetch).unchecked ?? fetch

const checked: CheckedFetch = async (input, init) => {
  const response = await unchecked(input, init)
  const { url, method } = input instanceof Request ? input : { url: String(input), method: 'GET' }
  if (url.includes('/api/')) {
    contract ??= import('./contract.ts')
    await (await contract).checkResponse(init?.method ?? method, url, response)
  }
  return response
}
checked.unchecked = unchecked
globalThis.fetch = checked

// A test that expects an error may have caught that of the check.
afterAll(async () => expect((await contract)?.takeViolations() ?? []).toEqual([]))
