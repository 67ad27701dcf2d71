/** The holds of some sales, and what a decision changes of them. */
import type { HoldReason } from '../steps/holds.ts'
import type { ComparedSale, DecidedHolds, HeldCommission, Hold } from './hold-facts.ts'

type Changes = Pick<DecidedHolds, 'moved' | 'evidence' | 'resolved' | 'held'>

/** Keeps the holds as they are after each change, because one change depends on those before. */
export class HoldBook {
  readonly #sales: Map<string, ComparedSale>
  readonly #holds = new Map<string, Hold>()
  readonly #moved: Changes['moved'] = []
  readonly #evidence = new Set<string>()
  readonly #resolved = new Set<string>()
  readonly #held = new Set<string>()

  constructor(sales: ComparedSale[]) {
    this.#sales = new Map(sales.map((sale) => [sale.id, sale]))
    for (const { id, hold } of sales.flatMap(({ commissions }) => commissions))
      if (hold) this.#holds.set(id, hold)
  }

  sale(id: string): ComparedSale | undefined {
    return this.#sales.get(id)
  }

  /** The hold of a sale's current commission. */
  holdOf({ commissionId }: ComparedSale): Hold | null {
    return (commissionId !== null && this.#holds.get(commissionId)) || null
  }

  /** All holds, with the sale and the commission of each. */
  all(): { sale: ComparedSale; commission: HeldCommission; hold: Hold }[] {
    return [...this.#sales.values()].flatMap((sale) =>
      sale.commissions.flatMap((commission) => {
        const hold = this.#holds.get(commission.id)
        return hold ? [{ sale, commission, hold }] : []
      }),
    )
  }

  move(from: string, to: string): void {
    const hold = this.#holds.get(from)
    if (!hold || this.#holds.has(to)) return
    this.#holds.delete(from)
    this.#holds.set(to, hold)
    this.#moved.push({ from, to })
  }

  setEvidence(commissionId: string, evidenceId: string): void {
    this.#change(commissionId, { evidenceId })
    this.#evidence.add(commissionId)
  }

  release(commissionId: string): void {
    this.#change(commissionId, { resolution: 'released', isResolvedByHand: false })
    this.#held.delete(commissionId)
    this.#resolved.add(commissionId)
  }

  /**
   * Holds the current commission of a sale.
   * @param evidenceId absent keeps the evidence of an earlier hold
   */
  hold({ commissionId }: ComparedSale, reason: HoldReason, evidenceId?: string): void {
    if (commissionId === null) return
    const kept = this.#holds.get(commissionId)?.evidenceId ?? null
    this.#holds.set(commissionId, {
      reason,
      evidenceId: evidenceId ?? kept,
      resolution: null,
      isResolvedByHand: false,
    })
    this.#resolved.delete(commissionId)
    this.#held.add(commissionId)
  }

  /** What has changed. A hold that is made anew has its evidence. */
  changes(): Changes {
    const rows = (ids: Set<string>) =>
      [...ids].flatMap((commissionId) => {
        const hold = this.#holds.get(commissionId)
        return hold ? [{ commissionId, ...hold }] : []
      })
    return {
      moved: this.#moved,
      evidence: rows(this.#evidence).flatMap(({ commissionId, evidenceId }) =>
        evidenceId === null ? [] : [{ commissionId, evidenceId }],
      ),
      resolved: [...this.#resolved].map((commissionId) => ({
        commissionId,
        resolution: 'released',
      })),
      held: rows(this.#held).map(({ commissionId, reason, evidenceId }) => ({
        commissionId,
        reason,
        evidenceId,
      })),
    }
  }

  #change(commissionId: string, change: Partial<Hold>): void {
    const hold = this.#holds.get(commissionId)
    if (hold) this.#holds.set(commissionId, { ...hold, ...change })
  }
}
