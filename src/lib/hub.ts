export type Listener<Event> = (event: Event, topic: string) => void;

/** Tells whoever listens to a topic what has happened. In memory, in order, and never waiting for a listener. */
export class Hub<Event> {
  private readonly topics = new Map<string, Set<Listener<Event>>>();

  publish(topic: string, event: Event): void {
    const listeners = this.topics.get(topic);
    if (!listeners) return;
    for (const listener of listeners) listener(event, topic);
  }

  /** How many listen, to whatever. */
  get size(): number {
    return [...this.topics.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }

  /** Returns the function that ends the subscription. */
  subscribe(topic: string, listener: Listener<Event>): () => void {
    const listeners = this.topics.get(topic) ?? new Set();
    this.topics.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.topics.get(topic) === listeners) this.topics.delete(topic);
    };
  }
}
