import type { NudgesService } from './nudges.rpc.ts'

/** The RPC of the webhooks Worker, which alone sends webhooks and has the key of their secrets. */
export type EndpointsService = NudgesService & {
  /** Why a URL is refused, as a sentence; null if it is accepted. */
  urlRefusal: (url: string) => Promise<string | null>
  /** A new signing secret, and what to store of it. */
  newSecret: (workspaceId: string) => Promise<{ secret: string; ciphertext: string }>
  /** Encrypts a secret that is returned once, for repeats with an Idempotency-Key. */
  seal: (workspaceId: string, text: string) => Promise<string>
  /** Decrypts what `seal` encrypted, and nothing else; null if it can't. */
  unseal: (workspaceId: string, sealed: string) => Promise<string | null>
}
