import type { NudgesService } from './nudges.rpc.ts'

/**
 * What the webhooks Worker offers managers' Workers. It alone holds the key that signing secrets
 * are encrypted under, and sends requests.
 */
export type EndpointsService = NudgesService & {
  /** Why no webhook is sent to a URL, as a sentence; null if they are. */
  urlRefusal: (url: string) => Promise<string | null>
  /** A new signing secret, and what to store of it. */
  newSecret: (workspaceId: string) => Promise<{ secret: string; ciphertext: string }>
  /** Encrypts what is returned once, for the repeats of a request with an Idempotency-Key. */
  seal: (workspaceId: string, text: string) => Promise<string>
  /** Decrypts what `seal` encrypted, and nothing else; null if it can't. */
  unseal: (workspaceId: string, sealed: string) => Promise<string | null>
}
