/** Why a page was not read: codes, which are stored, and sentences for people. */
import type { PageResult } from './read-page.service.ts'

export const failureCode = (
  result: Exclude<PageResult, { outcome: 'page' | 'limited' }>,
): string => {
  if (result.outcome === 'refused') return `refused_${result.status}`
  return result.reason === 'status' ? `status_${result.status}` : result.reason
}

/** Sentences by code. `refused_<status>` and `status_<status>` have the status of the response. */
const REASONS: Record<string, (platform: string) => string> = {
  unreachable: (platform) => `${platform} cannot be reached.`,
  timeout: (platform) => `${platform} does not respond in time.`,
  garbage: (platform) => `${platform} returned something that is not a page of its API.`,
  redirect: (platform) => `${platform} redirects to another address. No token is sent there.`,
  manager_removed: () => 'The person who has started this is no longer a manager.',
  not_in_shadow: () => 'The program no longer runs in shadow mode.',
  too_long: (platform) => `${platform} could not be read within a day.`,
  token_unreadable: () => 'The token cannot be decrypted. Paste it again.',
  endless: (platform) => `${platform} lists more pages than any program has.`,
}

export const failureText = (code: string, platform: string): string => {
  const [what, status] = code.split(/_(?=\d+$)/)
  if (what === 'status') return `${platform} returned an unexpected status (${status}).`
  if (what !== 'refused') return REASONS[code]?.(platform) ?? `${platform} cannot be read.`
  return status === '401' || status === '403'
    ? `${platform} does not accept this token (status ${status}).`
    : `${platform} refuses this request (status ${status}).`
}
