# Workers as a Nomad job: one on each client of the class "aiswarm", in a clone that has joined the board
# ('aiswarm fleet join' in /srv/aiswarm/shop as the user aiswarm).

job "aiswarm-worker" {
  type = "system"

  constraint {
    attribute = "${node.class}"
    value     = "aiswarm"
  }

  group "worker" {
    task "worker" {
      driver = "raw_exec"
      user   = "aiswarm"

      config {
        command = "/bin/sh"
        args = ["-ec", <<-SCRIPT
          cd /srv/aiswarm/shop
          aiswarm worker --max-parallel 4 &
          # The host starts nothing new before its next worker, and its agents have time to finish.
          trap 'aiswarm host drain --until-start --wait 10m || true; kill $!' TERM INT
          wait || wait
        SCRIPT
        ]
      }

      kill_signal  = "SIGTERM"
      kill_timeout = "12m"

      resources {
        cpu    = 2000
        memory = 6144
      }
    }
  }
}
