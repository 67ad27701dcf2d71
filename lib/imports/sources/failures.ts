/** Why a page was not read: codes that are stored, and sentences for people. */
import type { PageResult } from './read-page.service.ts'

/** The code of a page that was not read. */
export const failureCode = (
  result: Exclude<PageResult, { outcome: 'page' | 'limited' }>,
): string => {
  if (result.outcome === 'refused') return `refused_${result.status}`
  return result.reason === 'status' ? `status_${result.status}` : result.reason
}

/**
 * Why a platform is not read, or not now. `refused_<status>` and `status_<status>` have the status
 * of its answer.
 */
const REASONS: Record<string, (platform: string) => string> = {
  unreachable: (platform) => `${platform} cannot be reached.`,
  timeout: (platform) => `${platform} does not answer in time.`,
  garbage: (platform) => `${platform} answers something else than its API does.`,
  redirect: (platform) => `${platform} redirects to another address, to which no token is sent.`,
  manager_removed: () => 'The person who has started this is no longer a manager.',
  not_in_shadow: () => 'The program no longer runs in shadow mode.',
  too_long: (platform) => `${platform} could not be read within a day.`,
  token_unreadable: () => 'The token cannot be decrypted. Paste it again.',
  endless: (platform) => `${platform} lists more pages than any program has.`,
}

/** Why a page was not read, as a sentence. */
export const failureText = (code: string, platform: string): string => {
  const [what, status] = code.split(/_(?=\d+$)/)
  if (what === 'status') return `${platform} does not answer as usual (status ${status}).`
  if (what !== 'refused') return REASONS[code]?.(platform) ?? `${platform} cannot be read.`
  return status === '401' || status === '403'
    ? `${platform} does not accept this token (status ${status}).`
    : `${platform} refuses this request (status ${status}).`
}
