CREATE TABLE "import_runs" (
	"run" bigserial PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"change" bigint NOT NULL,
	"files" jsonb NOT NULL,
	"synced" text[] DEFAULT '{}' NOT NULL,
	"is_undone" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "record_pins" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"record_id" uuid NOT NULL,
	"field" text NOT NULL,
	"change" bigint NOT NULL,
	"is_undone" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "record_sources" (
	"record_id" uuid NOT NULL,
	"source" text NOT NULL,
	"kind" text NOT NULL,
	"first_run" bigint NOT NULL,
	"run" bigint NOT NULL,
	CONSTRAINT "record_sources_record_id_source_pk" PRIMARY KEY("record_id","source")
);
--> statement-breakpoint
CREATE INDEX "import_runs_source" ON "import_runs" USING btree ("source","run");--> statement-breakpoint
CREATE INDEX "record_pins_record" ON "record_pins" USING btree ("record_id");--> statement-breakpoint
CREATE INDEX "record_sources_source" ON "record_sources" USING btree ("source","kind");