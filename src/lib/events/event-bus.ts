export type Listener<Event> = (event: Event, topic: string) => void;

/** Delivers events to the listeners of a topic: in memory, in order, and without waiting for them. */
export class EventBus<Event> {
  private readonly topics = new Map<string, Set<Listener<Event>>>();

  /** `onError` gets the errors of listeners, which affect neither the publisher nor other listeners. */
  constructor(private readonly onError: (error: unknown, topic: string) => void) {}

  publish(topic: string, event: Event): void {
    const listeners = this.topics.get(topic);
    if (!listeners) return;
    for (const listener of listeners) {
      try {
        listener(event, topic);
      } catch (error) {
        this.onError(error, topic);
      }
    }
  }

  /** The number of listeners to all topics. */
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
