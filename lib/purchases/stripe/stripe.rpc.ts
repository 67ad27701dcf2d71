import type { PurchasesService } from '../purchases.rpc.ts'

/** What the stripe-webhook Worker offers other Workers. It alone holds the key that signing secrets are encrypted under. */
export type StripeService = PurchasesService & {
  encryptSecret: (workspaceId: string, secret: string) => Promise<string>
}
