import { Child } from "./child.ts";
import type { Delivered } from "./sink.ts";

/** The address of the server with this number: the hosts of one address would share the places for deliveries. */
export function loopbackAddress(n: number): string {
  return `127.0.${Math.floor(n / 250)}.${(n % 250) + 1}`;
}

/** The process with the other servers. */
export class Sink {
  private constructor(
    private readonly child: Child,
    /** Each is a site of its own. */
    readonly ports: number[],
  ) {}

  static async start(hosts: number): Promise<Sink> {
    const child = Child.start("sink.ts", String(hosts));
    return new Sink(child, await child.hear<number[]>());
  }

  /** Call it before anything is sent. Resolves when this many deliveries have arrived. */
  receive(deliveries: number): Promise<Delivered> {
    this.child.tell(deliveries);
    return this.child.hear<Delivered>();
  }

  /** Requests for documents since the last call of either method. */
  async fetches(): Promise<number> {
    return (await this.receive(0)).fetches;
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
